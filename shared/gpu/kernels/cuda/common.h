// Shared by all kernels: the loop over elements, sums over a block, ReLU.
#pragma once
#define THREADS 256
#define WARP 32
#define WARPS (THREADS / WARP)

// Elements i of n, spread over the whole grid.
#define FOR_EACH(i, n) for (int i = block_x() * THREADS + thread_x(); i < (n); i += grid_x() * THREADS)

device_fn int smaller(int a, int b) { return a < b ? a : b; }
device_fn unsigned bits(float v) { return __builtin_bit_cast(unsigned, v); }

// relu keeps NaN and makes −0 a 0.
device_fn float relu(float v) { return v > 0.0f || v != v ? v : 0.0f; }

// passed is d as a ReLU of output y lets it through: d where y is positive, y where it
// is NaN, else 0.
device_fn float passed(float y, float d) { return y > 0.0f ? d : (y != y ? y : 0.0f); }

// block_sum adds a number of every thread; all threads get the sum. The order is that
// of a butterfly within a warp, then warp after warp.
template <class T>
device_fn T block_sum(T v) {
  shared_mem T part[WARPS];
  UNROLL for (int d = WARP / 2; d; d >>= 1) v += shuffle_xor(v, d);
  barrier(); // part may still be read for the sum before this one
  if (thread_x() % WARP == 0) part[thread_x() / WARP] = v;
  barrier();
  T s = 0;
  UNROLL for (int i = 0; i < WARPS; i++) s += part[i];
  return s;
}
