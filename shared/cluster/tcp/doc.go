// Package tcp runs a cluster as processes that talk over TCP: one rank per
// process (New), or all ranks of one process over 127.0.0.1 (Loopback), on the
// same code. It keeps the contract of cluster.Proc, so where the algorithm fixes
// the order of summation it gives the bits of every other runtime.
//
// # Connections
//
// One process listens at the rendezvous. Every rank, its own included, keeps a
// control connection to it; every two ranks keep a data connection,
// which the higher rank opens. The rendezvous decides alone whether, why and
// because of whom a run ends, so all ranks are told the same.
//
//	rank → rendezvous  hello: job, run, rank, size, data address
//	rendezvous → rank  welcome, or refuse with the reason
//	rendezvous → rank  book: every rank's data address, once all are here
//	rank → rank        join, answered by joined
//	rank → rendezvous  ready;  all ready: begin
//	rank → rendezvous  idle, fail, done;  rendezvous → rank: wave, abort, end
//
// Another job, another version and strangers are refused, and named if in the
// end a rank is missing. Strangers are told that this is another job and nothing
// else of it. A rank of this job that is there twice, or counts the ranks
// differently, ends the job at once.
//
// An introduction has one time-out, however it drips in. Of connections that have
// not introduced themselves 256 are open at a listener, or as many as there are
// ranks if these are more; one more closes the oldest. An error of Accept, as when
// files run out, is waited out.
//
// # Frames
//
// Whatever is sent is a frame: the 64 bytes of cluster.Header (magic, version,
// job, tag, flags, from, size, piece, four words of the algorithm, CRC-32C of
// the piece, CRC-32C of the header), then a piece of a body. A body longer than
// the chunk goes in several pieces, a header before each; the first piece
// gives the message its place among those of its sender, later pieces carry the
// message's number and their offset. A Declared message is a header alone. Pieces are written from
// the sender's buffer with one system call each, and read into the posted
// receive's buffer if it is posted when they come and has room; else they wait
// in buffers of the runtime. Receivers always read, so no send waits for a
// receive: a goroutine for each connection does, and on Linux, in the clear, any thread that
// waits polls its peers' connections first, for a moment, and reads and writes itself. Connections have no delay (TCP_NODELAY) and buffers that the kernel
// sizes: a size set by hand would end its own tuning and is capped lower on most
// systems. Between processes of one host Linux holds at most 128 KiB that it has not sent (TCP_NOTSENT_LOWAT).
//
// With chunk c a message of b bytes costs b + 64·max(1, ⌈b/c⌉) bytes above TCP: at
// 1 MiB 0.006 % more than the body. The virtual runtime charges one header per
// message, the same if b ≤ c. Trace.Sent counts these frames.
//
// Trace.Kernel is Linux's count for each rank's data connections (TCP_INFO,
// bytes acknowledged by the other end), less what was exchanged before the run
// began, read when all has been acknowledged. Heartbeats and all else that is
// no message use the control connections, so the number is exact: the sum of
// the rank's frames, headers and bodies. Other systems leave it nil.
//
// # What is checked
//
// CRC-32C finds every flipped bit and every burst up to 32 bits of a piece of
// this size, and lets 2⁻³² of other damage pass. It stands against faults of
// memory, cables and drivers that TCP's own sum misses. It is no signature. A job's
// name is what keeps strangers out: no refusal tells it, but every introduction
// carries it in the clear. So whoever can only reach the ports and does not know the
// name is refused; whoever can read the network learns the name and all gradients,
// can join the job and forge frames. With Config.Certs it is
// otherwise (see Certificates); without, off loopback is refused unless
// Config.Insecure is set: then use trusted networks only, or a
// tunnel beneath.
//
// # Certificates
//
// With Config.Certs every connection, control and data, is TLS 1.3. Both ends show a
// certificate of the job's authority with the URI spiffe://gradsync/JOB/rank-N, or
// /rendezvous for the end that hosts it. Whoever opens a connection says in the
// handshake (ALPN) which rank it is and knows whom it wants; either end refuses any
// other certificate before a frame is parsed, and frames that claim another rank
// afterwards. TLS then stands against who reads or forges; CRC-32C stays. Trace.Kernel
// counts what crossed the network for messages: the frames and 22 bytes for each record
// of up to 16 KiB; handshakes are not in it. Trace.Sent counts frames
// alone. Whoever connects is shown the job's name of the certificate, which is not
// Config.Job. crypto/tls never changes keys: RFC 8446 (5.5) advises against more than
// some 400 GB on one AES-GCM connection.
//
// # What is promised
//
//   - No call blocks for ever. A rank whose process died, that is silent for
//     Config.Timeout, that sends a corrupt frame, or to which a message does not
//     get through, ends the run on every survivor with a *cluster.AbortError whose
//     cause, a *RankLost, names its rank and address: at once for a connection that
//     ends, within the time-out for silence. Signs of life come from the runtime,
//     not from the body: computing is not silence.
//   - A body's error or panic, an error that nobody waited for, and a cancelled
//     context reach every rank. Between processes errors travel as text; panics,
//     deadlocks, lost ranks and the two errors of contexts keep their type.
//   - Ranks that all wait for what cannot come any more are told who waits for what:
//     once all ranks are idle and as many messages arrived as were sent, twice in a
//     row with nothing in between (Mattern's four counters).
//   - A message whose checksum does not match is never given to anybody, though the
//     posted buffer may have been written to. After a call returned the run's
//     failure the runtime touches no buffer any more.
//   - When Run returns no goroutine and no socket is left.
//
// A failed run is over: ranks do not come back, and there is no recovery but
// to run again, from a checkpoint.
//
// # Elastic runs
//
// With Config.Elastic each Proc is a cluster.Survivor, and a rank that is lost after the run has begun does not end it.
// The rendezvous names the lost to all the others, in one order; each closes its connections to them, takes back
// what came of their messages in part and drops what it has to send there. If the process of a lost rank lives, its
// run ends with the verdict on itself, or with the loss of the rendezvous. Where a connection between two living
// ranks breaks, the first of the two that the other complains of is lost. A job whose rendezvous no rank runs
// (Rendezvous) survives the loss of each; in one that a rank runs (Config.Host) that rank's process must live. A
// loss before all ranks have begun and a body's own error end an elastic run as any other. A rank whose context ends
// (New; its process was told to end) leaves: the others go on without it, and its own Run says so. It ends the run where
// its process has the rendezvous, or before all have begun. The context of Rendezvous, or of a Loopback, ends the run.
// Processes that are no ranks, as a launcher on another host, can join the rendezvous to hear of losses and of the
// end (Watch). With Config.Certs each shows the certificate of a rank of its host, which takes no rank's place and lets it
// say nothing; the rendezvous's is for the process that serves it alone.
//
// # Another fabric
//
// Over runs all this over a Fabric, which carries frames between processes where that is not TCP. Control connections go
// in frames there too, and the rendezvous is rank 0's. No connection ends when a process dies: the launcher ends the job,
// or the rank is silent. Package mpi is one.
package tcp
