// A ring all-reduce, or MPI_Allreduce, as a contender of `gradsync bench ring`:
// one JSON object a line on rank 0's standard input and output.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int rank, size; static float *x, *in;
static long start(long n, long c) { c = (c + 2 * size) % size; return n / size * c + (c < n % size ? c : n % size); }
static long length(long n, long c) { c = (c + 2 * size) % size; return n / size + (c < n % size); }
static void ring(long n) { // step i sends chunk rank-i, receives rank-i-1; adds it in the first size-1 steps
  for (int i = 0; i < 2 * (size - 1); i++) {
    long out = start(n, rank - i), got = start(n, rank - i - 1), len = length(n, rank - i - 1);
    float *into = i < size - 1 ? in : x + got;
    MPI_Request r[2];
    MPI_Irecv(into, (int)len, MPI_FLOAT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(x + out, (int)length(n, rank - i), MPI_FLOAT, (rank + 1) % size, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    if (i < size - 1) for (long k = 0; k < len; k++) x[got + k] += in[k];
  }
}
static double run(long order[3]) { // bytes, MPI_Allreduce or not, steps; ranks above 0 learn it here, asleep
  MPI_Request r; int told = 0;
  MPI_Ibcast(order, 3, MPI_LONG, 0, MPI_COMM_WORLD, &r);
  while (MPI_Test(&r, &told, MPI_STATUS_IGNORE), !told) if (rank > 0) usleep(10000);
  long n = order[0] / 4, first = x == NULL && n > 0;
  if (first) {
    x = malloc(order[0]), in = malloc(order[0]);
    for (long k = 0; k < n; k++) x[k] = rank + 1, in[k] = 0;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  for (long s = 0; s < order[2]; s++)
    if (order[1]) MPI_Allreduce(MPI_IN_PLACE, x, (int)n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    else ring(n);
  for (long k = 0; first && k < n; k++) {
    if (x[k] != size * (size + 1) / 2) { fprintf(stderr, "rank %d: element %ld is %g\n", rank, k, x[k]); MPI_Abort(MPI_COMM_WORLD, 1); }
    x[k] = 0;
  }
  return MPI_Wtime() - begin;
}
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);
  char line[1000], version[MPI_MAX_LIBRARY_VERSION_STRING], *at;
  long order[3] = {0, 0, 1}, steps = 1; double took = 0;
  while (rank > 0) if (run(order), order[2] == 0) return MPI_Finalize();
  if (!fgets(line, sizeof line, stdin) || !(at = strstr(line, "\"bytes\":"))) MPI_Abort(MPI_COMM_WORLD, 2);
  order[0] = atol(at + 8), order[1] = strstr(line, "allreduce") != NULL;
  run(order);
  for (; took < 0.05 && steps <= 1 << 20; steps *= 2) order[2] = steps, took = run(order);
  MPI_Get_library_version(version, &size), version[strcspn(version, ",\"\n")] = 0;
  for (char *c = version; *c; c++) if (*c == '\t') *c = ' ';
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("{\"class\":\"mpi\",\"facts\":[\"%s, %s\"],\"step_seconds\":%.9g}\n", version, argc > 1 ? argv[1] : "btl tcp,self", took * 2 / steps);
  while (fflush(stdout), fgets(line, sizeof line, stdin) && (at = strstr(line, "\"steps\":"))) {
    order[2] = 1, run(order), order[2] = atol(at + 8), took = run(order);
    printf("{\"steps\":%ld,\"seconds\":%.9g,\"mallocs\":-1}\n", order[2], took);
  }
  order[2] = 0, run(order), puts("{}");
  return MPI_Finalize();
}
