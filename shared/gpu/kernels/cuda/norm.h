// Batch normalisation over images [n][C][hw], a block per channel where sums are needed.
#pragma once

// The index of element i of channel c.
device_fn int of_channel(int i, int c, int C, int hw) { return (i / hw * C + c) * hw + i % hw; }

// db[c] = Σ dy over images and pixels.
KERNEL(bias_backward)(const float* dy, float* db, int n, int C, int hw) {
  const int c = block_x();
  float s = 0.0f;
  for (int i = thread_x(); i < n * hw; i += THREADS) s += dy[of_channel(i, c, C, hw)];
  s = block_sum(s);
  if (thread_x() == 0) db[c] = s;
}

// Mean and biased variance in two passes, which lose no digits when the mean is large.
KERNEL(norm_moments)(const float* x, float* mean, float* variance, int n, int C, int hw) {
  const int c = block_x(), m = n * hw;
  float s = 0.0f;
  for (int i = thread_x(); i < m; i += THREADS) s += x[of_channel(i, c, C, hw)];
  const float mu = block_sum(s) / (float)m;
  s = 0.0f;
  for (int i = thread_x(); i < m; i += THREADS) {
    float d = x[of_channel(i, c, C, hw)] - mu;
    s = fused(d, d, s);
  }
  s = block_sum(s);
  if (thread_x() == 0) {
    mean[c] = mu;
    variance[c] = s / (float)m;
  }
}

// y = scale·(x − mean)/√(variance + eps) + shift, then ReLU.
KERNEL(norm_apply)(const float* x, const float* scale, const float* shift, const float* mean, const float* variance, float* y,
                   int total, int C, int hw, float eps, int clip) {
  FOR_EACH(i, total) {
    int c = i / hw % C;
    float v = (x[i] - mean[c]) * (scale[c] * (1.0f / root(variance[c] + eps))) + shift[c];
    y[i] = clip ? relu(v) : v;
  }
}

// With d = dy as the ReLU of y lets it through (all of it where y is null):
// dshift = Σ d, dscale = Σ d·x̂, dx = scale·invstd·(d − dshift/m − x̂·dscale/m).
KERNEL(norm_backward)(const float* x, const float* y, const float* dy, const float* scale, const float* mean, const float* variance,
                      float* dx, float* dscale, float* dshift, int n, int C, int hw, float eps) {
  const int c = block_x(), m = n * hw;
  const float mu = mean[c], inv = 1.0f / root(variance[c] + eps);
  float s = 0.0f, q = 0.0f;
  for (int i = thread_x(); i < m; i += THREADS) {
    int at = of_channel(i, c, C, hw);
    float d = y ? passed(y[at], dy[at]) : dy[at];
    s += d;
    q = fused(d, x[at] - mu, q);
  }
  s = block_sum(s);
  q = block_sum(q);
  if (thread_x() == 0) {
    dshift[c] = s;
    dscale[c] = q * inv;
  }
  const float a = scale[c] * inv, b = s / (float)m, k = q * inv * inv / (float)m;
  for (int i = thread_x(); i < m; i += THREADS) {
    int at = of_channel(i, c, C, hw);
    float d = y ? passed(y[at], dy[at]) : dy[at];
    dx[at] = a * (d - b - (x[at] - mu) * k);
  }
}

// running = (1−weight)·running + weight·(factor·batch), rounded product by product.
KERNEL(norm_blend)(float* running, const float* batch, int n, double weight, double factor) {
  FOR_EACH(i, n) running[i] = (float)((1.0 - weight) * (double)running[i] + weight * ((double)batch[i] * factor));
}
