// Package mpi runs a cluster as processes that an MPI launcher started (mpirun,
// mpiexec, srun), over the MPI library of the site, found at run time: there is
// no C compiler and no cgo in it.
//
// # MPI as a wire
//
// MPI carries the frames of package tcp and nothing else: tcp.Over has the ranks,
// their matching, cancelling and waiting, the list of a deadlock and the verdict on
// a run. No call of cluster.Proc is a call of MPI, for MPI has no receive of
// unknown size, no send that never waits for its receive, and no wait with a
// deadline over several threads.
//
// The 64 bytes of a frame's header go with MPI tag 0 to a receive from any rank
// that is always posted, and a piece of at most 4 KiB with them. A larger one
// follows with tag 1 + (its number among those of its sender to its receiver) mod
// (2²⁰ − 1), received straight into the memory of the posted cluster.Proc receive, or
// of the runtime's if there is none yet. The rendezvous is rank 0; what it and the
// ranks say to each other are frames too. So no port is open, and who belongs to
// the job is the launcher's word.
//
// One thread calls MPI (MPI_THREAD_FUNNELED). While nothing happens it asks MPI
// again and again and lets others run in between, then it sleeps 50 µs each time, and 200 µs after a thousand times.
// Bodies that MPI reads or writes are pinned. About 32 MiB of them are on their way to a rank at a time; what the
// rendezvous and the ranks say to each other overtakes the rest.
//
// # Libraries
//
// Handles and constants differ between libraries, so each has a table: Open MPI 4
// and 5 (libmpi.so.40), MPICH 4 and 5 (libmpi.so.12, libmpich.so.12), and the ABI that
// MPI 5 standardises (libmpi_abi.so.1), which is preferred where the launcher's
// library can be any. Another version is refused by its own text.
//
// # What is promised
//
// What package tcp promises of a run without Elastic holds, but for what the launcher does first: it ends
// the job as soon as one process has died, and says which. An error of MPI ends the
// process, as MPI has it, and a process that ends ill ends the others by MPI_Abort. After a run that failed because a rank is silent MPI may still
// touch the memory of messages with it: the process should end. No kernel counts
// the bytes: Trace.Kernel is nil.
package mpi
