// Pools without padding over planes H×W. Backward passes gather: the windows that hold
// a pixel, in order, so that no two threads write one place.
#pragma once
#define POOL int total, int H, int W, int K, int S, int OH, int OW

// The first window, in one direction, that holds position p.
device_fn int first_window(int p, int K, int S) { return p < K ? 0 : (p - K + S) / S; }

// arg is the maximum's index in its plane: the first maximum, or the last NaN.
KERNEL(max_pool_forward)(const float* x, float* y, int* arg, POOL) {
  FOR_EACH(i, total) {
    const float* p = x + (long)(i / (OH * OW)) * H * W;
    const int corner = i / OW % OH * S * W + i % OW * S;
    int at = corner;
    float best = p[corner];
    for (int r = 0; r < K; r++) for (int c = 0; c < K; c++) {
      float v = p[corner + r * W + c];
      if (v > best || v != v) {
        best = v;
        at = corner + r * W + c;
      }
    }
    y[i] = best;
    arg[i] = at;
  }
}

KERNEL(max_pool_backward)(const float* dy, const int* arg, float* dx, POOL) {
  FOR_EACH(i, total) {
    const int plane = i / (H * W), at = i % (H * W), h = at / W, w = at % W;
    float s = 0.0f;
    for (int r = first_window(h, K, S); r < OH && r * S <= h; r++) for (int c = first_window(w, K, S); c < OW && c * S <= w; c++) {
      int o = (plane * OH + r) * OW + c;
      if (arg[o] == at) s += dy[o];
    }
    dx[i] = s;
  }
}

KERNEL(avg_pool_forward)(const float* x, float* y, POOL) {
  FOR_EACH(i, total) {
    const float* p = x + (long)(i / (OH * OW)) * H * W + i / OW % OH * S * W + i % OW * S;
    float s = 0.0f;
    for (int r = 0; r < K; r++) for (int c = 0; c < K; c++) s += p[r * W + c];
    y[i] = s / (float)(K * K);
  }
}

KERNEL(avg_pool_backward)(const float* dy, float* dx, POOL) {
  const float count = (float)(K * K);
  FOR_EACH(i, total) {
    const int plane = i / (H * W), at = i % (H * W), h = at / W, w = at % W;
    float s = 0.0f;
    for (int r = first_window(h, K, S); r < OH && r * S <= h; r++) for (int c = first_window(w, K, S); c < OW && c * S <= w; c++)
      s += dy[(plane * OH + r) * OW + c] / count;
    dx[i] = s;
  }
}
