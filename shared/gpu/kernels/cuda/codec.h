// What sparse and coded exchanges send: the forms of the package vec, bit for bit.
#pragma once
#define SEGMENT 1024 // elements of one block's piece of a bitmap

// counts[b] = elements of block b whose bits are not all 0 (−0 and NaN count). Block b is
// bounds[b] ≤ i < bounds[b+1], or the b-th piece of step elements where bounds is null.
KERNEL(count_nonzero)(const float* x, const int* bounds, int* counts, int n, int step) {
  const int b = block_x();
  const int from = bounds ? bounds[b] : b * step, to = bounds ? bounds[b + 1] : smaller(n, from + step);
  int count = 0;
  for (int i = from + thread_x(); i < to; i += THREADS) count += bits(x[i]) != 0;
  count = block_sum(count);
  if (thread_x() == 0) counts[b] = count;
}

// counts[b] = ones in segment b of a bitmap of n elements.
KERNEL(bitmap_count)(const unsigned* bitmap, int* counts, int n) {
  const int words = (n + WARP - 1) / WARP, at = block_x() * (SEGMENT / WARP) + thread_x();
  int count = thread_x() < SEGMENT / WARP && at < words ? __builtin_popcount(bitmap[at]) : 0;
  count = block_sum(count);
  if (thread_x() == 0) counts[block_x()] = count;
}

#define COUNTS 16 // that a thread of prefix_sum adds by itself

// offsets[i] = Σ counts before i, for 0 ≤ i ≤ n, by one block in rounds of THREADS·COUNTS.
KERNEL(prefix_sum)(const int* counts, int* offsets, int n) {
  shared_mem int sums[THREADS];
  const int t = thread_x();
  int before = 0;
  for (int from = 0; from < n; from += THREADS * COUNTS) {
    const int first = from + t * COUNTS;
    int own[COUNTS], mine = 0;
    UNROLL for (int i = 0; i < COUNTS; i++) {
      own[i] = first + i < n ? counts[first + i] : 0;
      mine += own[i];
    }
    sums[t] = mine;
    barrier();
    for (int d = 1; d < THREADS; d *= 2) {
      const int other = t >= d ? sums[t - d] : 0;
      barrier();
      sums[t] += other;
      barrier();
    }
    int at = before + sums[t] - mine;
    UNROLL for (int i = 0; i < COUNTS; i++) {
      if (first + i < n) offsets[first + i] = at;
      at += own[i];
    }
    before += sums[THREADS - 1];
    barrier();
  }
  if (t == 0) offsets[n] = before;
}

// bitmap has a bit per element that is not +0, values these elements in order. Segment b
// begins at values[offsets[b]].
KERNEL(bitmap_pack)(const float* x, const int* offsets, unsigned* bitmap, unsigned* values, int n) {
  shared_mem int ones[WARPS];
  const int t = thread_x(), lane = t % WARP, warp = t / WARP;
  int at = offsets[block_x()];
  for (int piece = 0; piece < SEGMENT; piece += THREADS) {
    const int i = block_x() * SEGMENT + piece + t;
    const unsigned word = i < n ? bits(x[i]) : 0;
    const unsigned set = ballot(word != 0);
    if (lane == 0) {
      ones[warp] = __builtin_popcount(set);
      if (i < n) bitmap[i / WARP] = set;
    }
    barrier();
    int mine = at;
    for (int w = 0; w < WARPS; w++) {
      if (w < warp) mine += ones[w];
      at += ones[w];
    }
    if (word != 0) values[mine + __builtin_popcount(set & ((1u << lane) - 1))] = word;
    barrier();
  }
}

// The inverse: dst[i] = its value or 0, or with add dst[i] += its value where it has one.
KERNEL(bitmap_unpack)(const unsigned* bitmap, const int* offsets, const float* values, float* dst, int n, int add) {
  shared_mem unsigned words[SEGMENT / WARP];
  shared_mem int starts[SEGMENT / WARP];
  const int t = thread_x(), lane = t % WARP, first = block_x() * (SEGMENT / WARP);
  if (t < SEGMENT / WARP) words[t] = (first + t) * WARP < n ? bitmap[first + t] : 0;
  barrier();
  if (t < SEGMENT / WARP) {
    int s = offsets[block_x()];
    for (int w = 0; w < t; w++) s += __builtin_popcount(words[w]);
    starts[t] = s;
  }
  barrier();
  for (int piece = 0; piece < SEGMENT; piece += THREADS) {
    const int i = block_x() * SEGMENT + piece + t, w = (piece + t) / WARP;
    if (i >= n) continue;
    const unsigned set = words[w];
    if (set >> lane & 1) {
      float v = values[starts[w] + __builtin_popcount(set & ((1u << lane) - 1))];
      dst[i] = add ? dst[i] + v : v;
    } else if (!add) {
      dst[i] = 0.0f;
    }
  }
}

// What could not be represented: out of range, NaN, infinite; a block's counts.
device_fn void put_clipped(int* clipped, int saturated, int nan, int infinite) {
  saturated = block_sum(saturated);
  nan = block_sum(nan);
  infinite = block_sum(infinite);
  if (thread_x() != 0) return;
  clipped[3 * block_x()] = saturated;
  clipped[3 * block_x() + 1] = nan;
  clipped[3 * block_x() + 2] = infinite;
}

device_fn bool is_infinite(float v) { return (bits(v) & 0x7fffffffu) == 0x7f800000u; }

// q = clamp(round(x·scale), −limit, limit), halves to even; bound is the largest float
// of at most limit. clipped has three counts per block of the grid.
KERNEL(quantise)(const float* x, int* q, int* clipped, int n, float scale, float bound, int limit) {
  int saturated = 0, nan = 0, infinite = 0;
  FOR_EACH(i, n) {
    const float v = x[i], r = __builtin_rintf(v * scale);
    const bool high = r > bound, low = r < -bound, out = high || low;
    nan += v != v;
    infinite += is_infinite(v);
    saturated += out && !is_infinite(v);
    q[i] = v != v ? 0 : high ? limit : low ? -limit : (int)r;
  }
  put_clipped(clipped, saturated, nan, infinite);
}

// q = round(x·scale) for |x| ≤ bound, halves to even, else the end of the range, 0 for
// NaN, and then clamped to −top … top. Products are double precision's; 3·2⁵¹ leaves the
// rounded integer in the low bits. Not counted as beyond top is 1, which rounding may put
// there, and the end of the range.
KERNEL(quantise_range)(const float* x, int* q, int* clipped, int n, double scale, float bound, int top) {
  int saturated = 0, nan = 0, infinite = 0;
  FOR_EACH(i, n) {
    const float v = x[i];
    if (v >= -bound && v <= bound) {
      const int r = (int)(unsigned)__builtin_bit_cast(unsigned long long, (double)v * scale + 6755399441055744.0);
      const int beyond = r > top ? r - top : r < -top ? -top - r : 0;
      saturated += beyond > 1 && r != 2147483647 && r != -2147483647;
      q[i] = r > top ? top : r < -top ? -top : r;
      continue;
    }
    nan += v != v;
    infinite += is_infinite(v);
    saturated += v == v && !is_infinite(v);
    q[i] = v != v ? 0 : v > 0.0f ? top : -top;
  }
  put_clipped(clipped, saturated, nan, infinite);
}

KERNEL(add_int32)(unsigned* dst, const unsigned* src, int n) {
  FOR_EACH(i, n) dst[i] += src[i];
}

KERNEL(sub_int32)(unsigned* dst, const unsigned* src, int n) {
  FOR_EACH(i, n) dst[i] -= src[i];
}
