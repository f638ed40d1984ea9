// A ring all-reduce, or MPI_Allreduce, as a contender of `gradsync bench ring`:
//   mpirun -n 2 ring BenchmarkRing/np=2/size=1MiB/by=openmpi-ring 1048576 0.25
// Rank 0 prints a line of Go's benchmark format.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int rank, size; static float *x, *in; static long n; static int reduce;
static long start(long c) { c = (c + 2 * size) % size; return n / size * c + (c < n % size ? c : n % size); }
static long length(long c) { c = (c + 2 * size) % size; return n / size + (c < n % size); }
static void ring(void) { // step i sends chunk rank-i, receives rank-i-1; adds it in the first size-1 steps
  for (int i = 0; i < 2 * (size - 1); i++) {
    long out = start(rank - i), got = start(rank - i - 1), len = length(rank - i - 1);
    float *into = i < size - 1 ? in : x + got;
    MPI_Request r[2];
    MPI_Irecv(into, (int)len, MPI_FLOAT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(x + out, (int)length(rank - i), MPI_FLOAT, (rank + 1) % size, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    if (i < size - 1) for (long k = 0; k < len; k++) x[got + k] += in[k];
  }
}
static double run(long steps) { // rank 0's time; all ranks make as many steps
  MPI_Bcast(&steps, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  for (long s = 0; s < steps; s++)
    if (reduce) MPI_Allreduce(MPI_IN_PLACE, x, (int)n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    else ring();
  return MPI_Wtime() - begin;
}
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  long bytes = atol(argv[2]), steps = 1; double seconds = atof(argv[3]), took;
  n = bytes / 4, reduce = strstr(argv[1], "allreduce") != NULL, x = malloc(bytes), in = malloc(bytes);
  for (long k = 0; k < n; k++) x[k] = rank + 1, in[k] = 0;
  run(1);
  for (long k = 0; k < n; k++) {
    if (x[k] != size * (size + 1) / 2) {
      fprintf(stderr, "rank %d: element %ld is %g\n", rank, k, x[k]);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    x[k] = 0; // so that no number of steps overflows
  }
  for (took = run(1); rank == 0 && took < seconds / 5 && steps < 1 << 20;) took = run(steps *= 2);
  if (rank == 0) took = run(steps = seconds * steps / took > 1 ? seconds * steps / took : 1), run(0);
  else for (long told = 1; told > 0;) {
    MPI_Bcast(&told, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    for (long s = 0; s < told; s++)
      if (reduce) MPI_Allreduce(MPI_IN_PLACE, x, (int)n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      else ring();
  }
  char version[MPI_MAX_LIBRARY_VERSION_STRING]; int len;
  MPI_Get_library_version(version, &len), version[strcspn(version, ",\"\n")] = 0;
  for (char *c = version; *c; c++) if (*c == '\t') *c = ' ';
  if (rank == 0) printf("library: %s\n%s\t%ld\t%.1f ns/op\t%.4f MB/s\n", version, argv[1], steps, 1e9 * took / steps,
                        2.0 * (size - 1) / size * bytes * steps / took / 1e6);
#ifdef MPICH_VERSION // which over UCX may wait in MPI_Finalize for ever
  fflush(stdout), MPI_Barrier(MPI_COMM_WORLD), _exit(0);
#endif
  return MPI_Finalize();
}
