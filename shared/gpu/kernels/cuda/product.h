// Products of matrices and convolutions as such products: every output is one chain of
// fused multiply-adds in the order of the sum, whatever the tile it falls into.
#pragma once
#define COLUMNS 64 // of a block's tile
#define DEPTH 16 // steps of the sum that are held at a time
#define EACH 4 // columns of a thread

template <int n> struct alignas(4 * n) Floats { float v[n]; };

// Where thread t's e-th element of a tile lies: steps of the sum side by side in memory
// (deep), or the tile's rows (columns) side by side.
template <int lanes> struct Spread {
  int lane, step;
  bool deep;
  device_method explicit Spread(bool deep) : deep(deep) {
    const int t = thread_x();
    lane = deep ? t / DEPTH : t % lanes;
    step = deep ? t % DEPTH : t / lanes;
  }
  device_method int lane_of(int e) const { return deep ? lane + e * (THREADS / DEPTH) : lane; }
  device_method int step_of(int e) const { return deep ? step : step + e * (THREADS / lanes); }
};

// tiles writes out[m][n] = Σ a[m][k]·b[k][n] over from ≤ k < to by out.put. a.lane(m) and
// a.step(k) take indices apart once; a.at(lane, step) reads. The block's place in the grid
// chooses its tile: x the columns, y the rows; a block has 16 times a thread's rows.
template <int rows, class A, class B, class Out>
device_fn void tiles(int M, int N, int from, int to, const A& a, bool a_deep, const B& b, bool b_deep, const Out& out) {
  shared_mem Floats<rows> as[DEPTH][17];
  shared_mem Floats<EACH> bs[DEPTH][17];
  const int t = thread_x(), m0 = block_y() * 16 * rows, n0 = block_x() * COLUMNS;
  const Spread<16 * rows> sa(a_deep);
  const Spread<COLUMNS> sb(b_deep);
  decltype(a.lane(0)) la[rows];
  decltype(b.lane(0)) lb[EACH];
  bool in_a[rows], in_b[EACH];
  UNROLL for (int e = 0; e < rows; e++) {
    const int m = m0 + sa.lane_of(e);
    in_a[e] = m < M;
    la[e] = a.lane(in_a[e] ? m : 0);
  }
  UNROLL for (int e = 0; e < EACH; e++) {
    const int n = n0 + sb.lane_of(e);
    in_b[e] = n < N;
    lb[e] = b.lane(in_b[e] ? n : 0);
  }
  float acc[rows][EACH];
  UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < EACH; j++) acc[i][j] = 0.0f;
  for (int k0 = from; k0 < to; k0 += DEPTH) {
    UNROLL for (int e = 0; e < rows; e++) {
      const int k = sa.step_of(e), r = sa.lane_of(e);
      as[k][r / rows].v[r % rows] = in_a[e] && k0 + k < to ? a.at(la[e], a.step(k0 + k)) : 0.0f;
    }
    UNROLL for (int e = 0; e < EACH; e++) {
      const int k = sb.step_of(e), c = sb.lane_of(e);
      bs[k][c / EACH].v[c % EACH] = in_b[e] && k0 + k < to ? b.at(lb[e], b.step(k0 + k)) : 0.0f;
    }
    barrier();
    const int steps = smaller(to - k0, DEPTH);
    for (int k = 0; k < steps; k++) {
      const Floats<rows> p = as[k][t / 16];
      const Floats<EACH> q = bs[k][t % 16];
      UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < EACH; j++) acc[i][j] = fused(p.v[i], q.v[j], acc[i][j]);
    }
    barrier();
  }
  UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < EACH; j++) {
    const int m = m0 + t / 16 * rows + i, n = n0 + t % 16 * EACH + j;
    if (m < M && n < N) out.put(m, n, acc[i][j]);
  }
}

// product does tiles of 64 rows, or of 16 where there are no more.
template <class A, class B, class Out>
device_fn void product(int M, int N, int from, int to, const A& a, bool a_deep, const B& b, bool b_deep, const Out& out) {
  if (M <= 16) tiles<1>(M, N, from, to, a, a_deep, b, b_deep, out);
  else tiles<4>(M, N, from, to, a, a_deep, b, b_deep, out);
}

// Plain is a matrix with strides.
struct Plain {
  const float* x; long lanes, steps;
  device_method long lane(int i) const { return i * lanes; }
  device_method long step(int k) const { return k * steps; }
  device_method float at(long lane, long step) const { return x[lane + step]; }
};

struct PlainOut {
  float* out; const float* bias; int N; bool clip;
  device_method void put(int m, int n, float v) const {
    if (bias) v += bias[n];
    out[(long)m * N + n] = clip ? relu(v) : v;
  }
};

// out[M][N] = a·b, then bias per column unless it is null, then ReLU. am and ak are the
// distances in a of rows and of steps, bk and bn in b of steps and of columns.
KERNEL(gemm)(const float* a, const float* b, const float* bias, float* out, int M, int N, int K, int am, int ak, int bk, int bn, int clip) {
  product(M, N, 0, K, Plain{a, am, ak}, ak == 1, Plain{b, bn, bk}, bk == 1, PlainOut{out, bias, N, clip != 0});
}

// Shape is the geometry of a convolution, as kernels take it.
struct Shape { int N, IC, H, W, OC, KH, KW, S, P, OH, OW; };
#define SHAPE int N, int IC, int H, int W, int OC, int KH, int KW, int S, int P, int OH, int OW
#define SHAPE_OF Shape{N, IC, H, W, OC, KH, KW, S, P, OH, OW}

struct Tap { int i, h, w; };      // one of IC·KH·KW: channel, row and column within the window
struct Pixel { int n, h, w; };    // one of N·rows·columns
device_fn Tap tap_of(const Shape& g, int k) { return Tap{k / (g.KH * g.KW), k / g.KW % g.KH, k % g.KW}; }
device_fn Pixel pixel_of(int q, int H, int W) { return Pixel{q / (H * W), q / W % H, q % W}; }

// Window reads x as outputs see it: 0 beyond the border.
device_fn float window(const Shape& g, const float* x, const Pixel& p, const Tap& t) {
  int h = p.h * g.S + t.h - g.P, w = p.w * g.S + t.w - g.P;
  return h >= 0 && h < g.H && w >= 0 && w < g.W ? x[((p.n * g.IC + t.i) * g.H + h) * g.W + w] : 0.0f;
}

struct WindowOfPixel { // lanes are output pixels, steps are taps
  Shape g; const float* x;
  device_method Pixel lane(int q) const { return pixel_of(q, g.OH, g.OW); }
  device_method Tap step(int k) const { return tap_of(g, k); }
  device_method float at(const Pixel& p, const Tap& t) const { return window(g, x, p, t); }
};

struct WindowOfTap { // lanes are taps, steps are output pixels
  Shape g; const float* x;
  device_method Tap lane(int k) const { return tap_of(g, k); }
  device_method Pixel step(int q) const { return pixel_of(q, g.OH, g.OW); }
  device_method float at(const Tap& t, const Pixel& p) const { return window(g, x, p, t); }
};

struct Images { // writes rows as channels of images: [n][channel][plane]
  float* y; const float* bias; int channels, plane;
  device_method void put(int c, int q, float v) const {
    if (bias) v += bias[c];
    y[(q / plane * channels + c) * plane + q % plane] = v;
  }
};

// y[n][o][p] = Σ w[o][tap]·x[window of p] + bias[o] unless bias is null.
KERNEL(conv_forward)(const float* x, const float* w, const float* bias, float* y, SHAPE) {
  const Shape g = SHAPE_OF;
  const int taps = IC * KH * KW;
  product(OC, N * OH * OW, 0, taps, Plain{w, taps, 1}, true, WindowOfPixel{g, x}, false, Images{y, bias, OC, OH * OW});
}

struct Filters { // lanes are input channels, steps are (output channel, row, column)
  Shape g; const float* w;
  device_method int lane(int i) const { return i * g.KH * g.KW; }
  device_method int step(int k) const { int kk = g.KH * g.KW; return k / kk * g.IC * kk + k % kk; }
  device_method float at(int lane, int step) const { return w[lane + step]; }
};

struct Upstream { // lanes are input pixels, steps are (output channel, row, column)
  Shape g; const float* dy;
  device_method Pixel lane(int q) const { return pixel_of(q, g.H, g.W); }
  device_method Tap step(int k) const { return tap_of(g, k); }
  device_method float at(const Pixel& p, const Tap& t) const {
    int h = p.h + g.P - t.h, w = p.w + g.P - t.w;
    if (h < 0 || w < 0 || h % g.S || w % g.S) return 0.0f;
    h /= g.S;
    w /= g.S;
    return h < g.OH && w < g.OW ? dy[((p.n * g.OC + t.i) * g.OH + h) * g.OW + w] : 0.0f;
  }
};

// dx[n][i][q] = Σ w[o][i][row][column]·dy of the output whose window has q there.
KERNEL(conv_backward_data)(const float* dy, const float* w, float* dx, SHAPE) {
  const Shape g = SHAPE_OF;
  product(IC, N * H * W, 0, OC * KH * KW, Filters{g, w}, true, Upstream{g, dy}, false, Images{dx, nullptr, IC, H * W});
}

struct Outputs { // lanes are output channels, steps are output pixels
  const float* dy; int channels, plane;
  device_method int lane(int o) const { return o * plane; }
  device_method int step(int q) const { return q / plane * channels * plane + q % plane; }
  device_method float at(int lane, int step) const { return dy[lane + step]; }
};

// dw[part][o][tap] = Σ dy·x over the images of a part: each images, the last one the
// rest. The block's z is its part; sum_parts adds them.
KERNEL(conv_backward_filter)(const float* x, const float* dy, float* dw, int each, SHAPE) {
  const Shape g = SHAPE_OF;
  const int taps = IC * KH * KW, plane = OH * OW, part = block_z();
  const int from = part * each, to = smaller(N, from + each);
  product(OC, taps, from * plane, to * plane, Outputs{dy, OC, plane}, true, WindowOfTap{g, x}, true,
          PlainOut{dw + (long)part * OC * taps, nullptr, taps, false});
}

// out[i] = Σ over parts of part[p][i], in order.
KERNEL(sum_parts)(const float* part, float* out, int n, int parts) {
  FOR_EACH(i, n) {
    float s = part[i];
    for (int p = 1; p < parts; p++) s += part[(long)p * n + i];
    out[i] = s;
  }
}
