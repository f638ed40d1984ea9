// prelude.h for a C++ compiler: the same names, on fibers. A launch runs on one thread of
// the machine, block after block, so plain statics are shared memory.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#define SHIM 1
#define UNROLL
#define device_fn static inline
#define device_method inline
#define shared_mem static
#define KERNEL(name) static void name

struct Index { int x, y, z; };
extern Index shim_thread, shim_block, shim_grid;
void shim_barrier();
uint32_t shim_shuffle_xor(uint32_t v, int d);
uint32_t shim_ballot(bool v);

device_fn int thread_x() { return shim_thread.x; }
device_fn int block_x() { return shim_block.x; }
device_fn int block_y() { return shim_block.y; }
device_fn int block_z() { return shim_block.z; }
device_fn int grid_x() { return shim_grid.x; }

device_fn void barrier() { shim_barrier(); }
device_fn float shuffle_xor(float v, int d) {
  uint32_t u;
  memcpy(&u, &v, 4);
  u = shim_shuffle_xor(u, d);
  memcpy(&v, &u, 4);
  return v;
}
device_fn int shuffle_xor(int v, int d) { return (int)shim_shuffle_xor((uint32_t)v, d); }
device_fn unsigned ballot(bool v) { return shim_ballot(v); }

device_fn float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
device_fn float root(float v) { return sqrtf(v); }
