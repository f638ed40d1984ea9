// cuBLAS and cuDNN of ours: the calls that the project makes, by plain loops over the fake
// driver's memory. Strict: a handle, descriptor, shape or address that is not right is an
// error, work is done when its stream comes by, scratch memory is overwritten.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

static int (*context)(), (*valid)(uint64_t, size_t), (*submit)(void*, const std::function<int()>*);
static char* (*at)(uint64_t);
static std::mutex lock;
static struct {
  long fail_at = -1, fail_code, major = 9, cuda = 12, none; // none: cuDNN has no algorithm
  long refused; // how many of cuDNN's algorithms are listed and do not run
} config;
static std::map<std::string, long> counts;
static long calls, open_things;

#define EXPORT extern "C" __attribute__((visibility("default")))
#define API EXPORT int

EXPORT void fakeAttach(void* c, void* v, void* a, void* s) {
  context = (decltype(context))c;
  valid = (decltype(valid))v;
  at = (decltype(at))a;
  submit = (decltype(submit))s;
}
API fakeConfigure(const char* key, long value) {
  std::map<std::string, long*> keys = {
      {"fail_at", &config.fail_at}, {"fail_code", &config.fail_code}, {"major", &config.major}, {"cuda", &config.cuda}, {"none", &config.none},
      {"refused", &config.refused}};
  if (!keys.count(key)) return 1;
  *keys[key] = value;
  if (!strcmp(key, "fail_at")) calls = 0;
  return 0;
}
EXPORT long fakeCount(const char* key) {
  if (!strcmp(key, "calls")) return calls;
  if (!strcmp(key, "open")) return open_things;
  return counts[key];
}

static int enter(const char* name) {
  counts[name]++;
  return ++calls == config.fail_at ? (int)config.fail_code : 0;
}
#define ENTER std::lock_guard<std::mutex> hold(lock); if (int r = enter(__func__)) return r

static float* floats(uint64_t p) { return (float*)at(p); }

// TF32 keeps 10 bits of fraction.
static float tf32(float v) {
  uint32_t u;
  memcpy(&u, &v, 4);
  if ((u & 0x7f800000) != 0x7f800000) u = (u + 0x1000) & ~0x1fffu;
  memcpy(&v, &u, 4);
  return v;
}
struct Rounded {
  bool on;
  double operator()(float a, float b) const { return on ? (double)tf32(a) * tf32(b) : (double)a * b; }
};

// Queues work; what it touches is checked now and when it is done.
struct Range { uint64_t p; size_t bytes; };
static int queue(void* stream, std::vector<Range> touched, std::function<void()> f, int bad, int failed) {
  auto all = [touched] {
    for (const Range& r : touched) if (r.bytes && !valid(r.p, r.bytes)) return false;
    return true;
  };
  if (!all()) return bad;
  std::function<int()> work = [=] {
    if (!all()) return 700;
    f();
    return 0;
  };
  return submit(stream, &work) ? failed : 0;
}
static void scribble(uint64_t p, size_t n) { if (n) memset(at(p), 0xff, n); }

// cuBLAS.
struct Blas { void* stream = nullptr; uint64_t room = 0; size_t bytes = 0; int mode = 0; };
static std::set<void*> handles;
enum { BLAS_NONE = 1, BLAS_BAD = 7, BLAS_FAILED = 13 };
#define BLAS if (!context() || !handles.count(h)) return BLAS_NONE; auto& b = *(Blas*)h

API cublasGetProperty(int what, int* v) { ENTER; if (what > 2) return BLAS_BAD; *v = what == 0 ? (int)config.cuda : what == 1 ? 4 : 2; return 0; }
EXPORT const char* cublasGetStatusString(int) { return "a status of the fake cuBLAS"; }
API cublasCreate_v2(void** h) { ENTER; if (!context()) return BLAS_NONE; *h = new Blas; handles.insert(*h); open_things++; return 0; }
API cublasDestroy_v2(void* h) { ENTER; if (!handles.erase(h)) return BLAS_NONE; delete (Blas*)h; open_things--; return 0; }
API cublasSetStream_v2(void* h, void* s) { ENTER; BLAS; b.stream = s; b.room = b.bytes = 0; return 0; }
API cublasSetWorkspace_v2(void* h, uint64_t p, size_t n) {
  ENTER; BLAS;
  if (p % 256 || !valid(p, n)) return BLAS_BAD;
  b.room = p;
  b.bytes = n;
  return 0;
}
API cublasSetMathMode(void* h, int mode) { ENTER; BLAS; if (mode != 0 && mode != 3) return BLAS_BAD; b.mode = mode; return 0; }
// c = a·b, of columns: op(a) is m×k, op(b) k×n.
API cublasSgemm_v2(void* h, int ta, int tb, int m, int n, int k, const float* alpha, uint64_t a, int lda, uint64_t bb, int ldb, const float* beta, uint64_t c,
                   int ldc) {
  ENTER; BLAS;
  if (m < 1 || n < 1 || k < 1 || ta < 0 || ta > 1 || tb < 0 || tb > 1 || lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m) return BLAS_BAD;
  if (*alpha != 1 || *beta != 0 || !b.room || !b.stream) return BLAS_FAILED; // no room: other bits from time to time
  auto size = [](int ld, int rows, int columns) { return 4 * ((size_t)ld * (columns - 1) + rows); };
  const Rounded product{b.mode == 3};
  const uint64_t room = b.room;
  const size_t bytes = b.bytes;
  return queue(b.stream, {{a, size(lda, ta ? k : m, ta ? m : k)}, {bb, size(ldb, tb ? n : k, tb ? k : n)}, {c, size(ldc, m, n)}, {room, bytes}}, [=] {
    scribble(room, 64);
    const float *x = floats(a), *y = floats(bb);
    float* to = floats(c);
    const long ai = ta ? lda : 1, ap = ta ? 1 : lda, bp = tb ? ldb : 1, bj = tb ? 1 : ldb;
    for (long j = 0; j < n; j++) for (long i = 0; i < m; i++) {
      double s = 0;
      for (long p = 0; p < k; p++) s += product(x[i * ai + p * ap], y[p * bp + j * bj]);
      to[i + j * ldc] = (float)s;
    }
  }, BLAS_BAD, BLAS_FAILED);
}

// cuDNN.
struct Dnn { void* stream = nullptr; };
struct Tensor {
  int n = 0, c = 0, h = 0, w = 0;
  size_t bytes() const { return 4ul * n * c * h * w; }
  bool is(int N, int C, int H, int W) const { return n == N && c == C && h == H && w == W; }
};
struct Filter : Tensor {};
struct Conv { int pad = -1, stride = 0, math = 0; };
enum { NOT_READY = 1001, UNSUPPORTED = 3000, BAD = 4000, FAILED = 5000 }; // BAD is not 2000, which callers may get round
static std::set<void*> tensors, filters, convs;

EXPORT size_t cudnnGetVersion() { return config.major < 9 ? config.major * 1000 + 907 : config.major * 10000 + 705; }
EXPORT size_t cudnnGetCudartVersion() { return config.cuda * 1000; }
EXPORT const char* cudnnGetErrorString(int) { return "a status of the fake cuDNN"; }
EXPORT void cudnnGetLastErrorString(char* s, size_t n) { snprintf(s, n, "what it has\nto say"); }

#define HANDLE if (!context() || !handles.count(h)) return NOT_READY; auto& d = *(Dnn*)h
#define KNOWN(set, type, p) if (!set.count(p)) return BAD; const type& p##_ = *(type*)p
template <class T> static int create(std::set<void*>& all, void** p) { *p = new T; all.insert(*p); open_things++; return 0; }
template <class T> static int destroy(std::set<void*>& all, void* p) { if (!all.erase(p)) return BAD; delete (T*)p; open_things--; return 0; }

API cudnnCreate(void** h) { ENTER; return context() ? create<Dnn>(handles, h) : NOT_READY; }
API cudnnDestroy(void* h) { ENTER; return destroy<Dnn>(handles, h); }
API cudnnSetStream(void* h, void* s) { ENTER; HANDLE; d.stream = s; return 0; }
API cudnnCreateTensorDescriptor(void** p) { ENTER; return create<Tensor>(tensors, p); }
API cudnnDestroyTensorDescriptor(void* p) { ENTER; return destroy<Tensor>(tensors, p); }
API cudnnSetTensor4dDescriptor(void* p, int layout, int type, int n, int c, int h, int w) {
  ENTER;
  if (!tensors.count(p) || layout || type || n < 1 || c < 1 || h < 1 || w < 1) return BAD;
  *(Tensor*)p = {n, c, h, w};
  return 0;
}
API cudnnCreateFilterDescriptor(void** p) { ENTER; return create<Filter>(filters, p); }
API cudnnDestroyFilterDescriptor(void* p) { ENTER; return destroy<Filter>(filters, p); }
API cudnnSetFilter4dDescriptor(void* p, int type, int layout, int k, int c, int h, int w) {
  ENTER;
  if (!filters.count(p) || layout || type || k < 1 || c < 1 || h < 1 || w < 1) return BAD;
  *(Tensor*)(Filter*)p = {k, c, h, w};
  return 0;
}
API cudnnCreateConvolutionDescriptor(void** p) { ENTER; return create<Conv>(convs, p); }
API cudnnDestroyConvolutionDescriptor(void* p) { ENTER; return destroy<Conv>(convs, p); }
API cudnnSetConvolution2dDescriptor(void* p, int ph, int pw, int u, int v, int dh, int dw, int mode, int type) {
  ENTER;
  if (!convs.count(p) || ph < 0 || ph != pw || u < 1 || u != v || dh != 1 || dw != 1 || mode != 1 || type) return BAD;
  *(Conv*)p = {ph, u, 0};
  return 0;
}
API cudnnSetConvolutionMathType(void* p, int math) { ENTER; if (!convs.count(p) || math < 0 || math > 3) return BAD; ((Conv*)p)->math = math; return 0; }

static bool fits(const Tensor& x, const Filter& w, const Conv& c, const Tensor& y) {
  return c.pad >= 0 && x.n && w.n && x.c == w.c && y.is(x.n, w.n, (x.h + 2 * c.pad - w.h) / c.stride + 1, (x.w + 2 * c.pad - w.w) / c.stride + 1);
}
API cudnnGetConvolution2dForwardOutputDim(void* c, void* x, void* w, int* n, int* k, int* oh, int* ow) {
  ENTER; KNOWN(convs, Conv, c); KNOWN(tensors, Tensor, x); KNOWN(filters, Filter, w);
  *n = x_.n;
  *k = w_.n;
  *oh = (x_.h + 2 * c_.pad - w_.h) / c_.stride + 1;
  *ow = (x_.w + 2 * c_.pad - w_.w) / c_.stride + 1;
  return 0;
}

// What a caller must not take comes first: one that fails, one whose bits vary, those by
// Fourier's and Winograd's transforms, one that wants more memory than any card has, one for
// tensor cores.
struct Perf { int algorithm, status; float seconds; size_t memory; int determinism, math, reserved[3]; };
static_assert(sizeof(Perf) == 48, "as in cudnn_cnn.h");
enum { REFUSED = 8, VARYING = 0, WINOGRAD = 5, HUGE_ONE = 9, TENSOR = 10, SLOW = 11, RIGHT = 1 };
static size_t room_of(int algorithm, const Conv& c) { return algorithm == HUGE_ONE ? 1ul << 50 : (algorithm == SLOW ? 4096 : 1024) * (1 + c.pad); }
static int list(int fourier, int asked, int* n, Perf* p) {
  const Perf all[] = {{REFUSED, UNSUPPORTED, -1, 0, 1, 0, {}}, {VARYING, 0, 1, 0, 0, 0, {}}, {fourier, 0, 1, 0, 1, 0, {}}, {WINOGRAD, 0, 1, 0, 1, 0, {}},
                      {HUGE_ONE, 0, 2, 1ul << 50, 1, 0, {}}, {TENSOR, 0, 2, 0, 1, 1, {}}, {RIGHT, 0, 3, 0, 1, 3, {}}, {SLOW, 0, 4, 0, 1, 3, {}}};
  *n = asked < 8 ? asked : config.none ? 6 : 8;
  memcpy(p, all, *n * sizeof(Perf));
  return 0;
}
#define ENDS(T, a, b, out, x, w, y) KNOWN(tensors, Tensor, x); KNOWN(filters, Filter, w); KNOWN(convs, Conv, c); KNOWN(tensors, Tensor, y); \
  if (!fits(x_, w_, c_, y_)) return BAD
#define LISTS(name, fourier, a, b, out, x, w, y)                                                                              \
  API cudnnGetConvolution##name##Algorithm_v7(void* h, void* a, void* b, void* c, void* out, int asked, int* n, Perf* p) {    \
    ENTER; HANDLE; (void)d; ENDS(0, a, b, out, x, w, y);                                                                      \
    return list(fourier, asked, n, p);                                                                                        \
  }                                                                                                                           \
  API cudnnGetConvolution##name##WorkspaceSize(void* h, void* a, void* b, void* c, void* out, int algorithm, size_t* bytes) { \
    ENTER; HANDLE; (void)d; ENDS(0, a, b, out, x, w, y);                                                                      \
    *bytes = room_of(algorithm, c_);                                                                                          \
    return algorithm == REFUSED ? UNSUPPORTED : 0;                                                                            \
  }
LISTS(Forward, 4, x, w, y, x, w, y)
LISTS(BackwardData, 3, w, y, x, x, w, y)
LISTS(BackwardFilter, 6, x, y, w, x, w, y)

// Calls f(x's index, w's index, y's index) for every product of a convolution.
template <class F> static void taps(const Tensor& x, const Filter& w, const Conv& c, const Tensor& y, F f) {
  for (long n = 0; n < y.n; n++) for (long k = 0; k < y.c; k++) for (long i = 0; i < y.h; i++) for (long j = 0; j < y.w; j++) {
    const long o = ((n * y.c + k) * y.h + i) * y.w + j;
    for (long ch = 0; ch < x.c; ch++) for (long r = 0; r < w.h; r++) {
      const long hh = i * c.stride - c.pad + r;
      if (hh < 0 || hh >= x.h) continue;
      for (long s = 0; s < w.w; s++) {
        const long ww = j * c.stride - c.pad + s;
        if (ww >= 0 && ww < x.w) f(((n * x.c + ch) * x.h + hh) * x.w + ww, ((k * w.c + ch) * w.h + r) * w.w + s, o);
      }
    }
  }
}

// Runs one pass: out holds as many values as its descriptor, of sums in double precision.
template <class F> static int convolve(const Dnn& d, const Tensor& x, const Filter& w, const Conv& c, const Tensor& y, const Tensor& out, const float* alpha,
                                       const float* beta, uint64_t pa, size_t na, uint64_t pb, size_t nb, uint64_t to, int algorithm, uint64_t room,
                                       size_t bytes, F f) {
  if (*alpha != 1 || *beta != 0 || !d.stream || bytes < room_of(algorithm, c)) return BAD;
  if (algorithm != RIGHT && algorithm != SLOW) return FAILED;
  if (config.refused > (algorithm == SLOW)) return UNSUPPORTED;
  counts["algorithm " + std::to_string(algorithm)]++;
  const Rounded product{c.math != 3}; // as on cards that have TF32
  return queue(d.stream, {{pa, na}, {pb, nb}, {to, out.bytes()}, {room, bytes}}, [=] {
    scribble(room, bytes);
    const float *a = floats(pa), *b = floats(pb);
    std::vector<double> sums(out.bytes() / 4);
    taps(x, w, c, y, [&](long i, long j, long o) { f(sums.data(), product, a, b, i, j, o); });
    float* v = floats(to);
    for (size_t i = 0; i < sums.size(); i++) v[i] = (float)sums[i];
  }, BAD, FAILED);
}

API cudnnConvolutionForward(void* h, const float* alpha, void* x, uint64_t px, void* w, uint64_t pw, void* c, int algorithm, uint64_t room, size_t bytes,
                            const float* beta, void* y, uint64_t py) {
  ENTER; HANDLE; ENDS(0, x, w, y, x, w, y);
  return convolve(d, x_, w_, c_, y_, y_, alpha, beta, px, x_.bytes(), pw, w_.bytes(), py, algorithm, room, bytes,
                  [](double* s, const Rounded& p, const float* a, const float* b, long i, long j, long o) { s[o] += p(a[i], b[j]); });
}
API cudnnConvolutionBackwardData(void* h, const float* alpha, void* w, uint64_t pw, void* y, uint64_t py, void* c, int algorithm, uint64_t room, size_t bytes,
                                 const float* beta, void* x, uint64_t px) {
  ENTER; HANDLE; ENDS(0, w, y, x, x, w, y);
  return convolve(d, x_, w_, c_, y_, x_, alpha, beta, pw, w_.bytes(), py, y_.bytes(), px, algorithm, room, bytes,
                  [](double* s, const Rounded& p, const float* a, const float* b, long i, long j, long o) { s[i] += p(a[j], b[o]); });
}
API cudnnConvolutionBackwardFilter(void* h, const float* alpha, void* x, uint64_t px, void* y, uint64_t py, void* c, int algorithm, uint64_t room, size_t bytes,
                                   const float* beta, void* w, uint64_t pw) {
  ENTER; HANDLE; ENDS(0, x, y, w, x, w, y);
  return convolve(d, x_, w_, c_, y_, w_, alpha, beta, px, x_.bytes(), py, y_.bytes(), pw, algorithm, room, bytes,
                  [](double* s, const Rounded& p, const float* a, const float* b, long i, long j, long o) { s[j] += p(a[i], b[o]); });
}

// Calls f(index) for every value of a channel.
template <class F> static void channel(const Tensor& t, long ch, F f) {
  const long hw = (long)t.h * t.w;
  for (long n = 0; n < t.n; n++) for (long i = 0; i < hw; i++) f((n * t.c + ch) * hw + i);
}

API cudnnBatchNormalizationForwardTraining(void* h, int mode, const float* alpha, const float* beta, void* x, uint64_t px, void* y, uint64_t py, void* p,
                                           uint64_t scale, uint64_t shift, double factor, uint64_t running, uint64_t variance, double eps, uint64_t mean,
                                           uint64_t inverse) {
  ENTER; HANDLE; KNOWN(tensors, Tensor, x); KNOWN(tensors, Tensor, y); KNOWN(tensors, Tensor, p);
  if (mode != 1 || *alpha != 1 || *beta != 0 || x != y || !p_.is(1, x_.c, 1, 1) || !(eps > 0 && eps < 1) || factor != 1 || !d.stream || px == py) return BAD;
  const Tensor t = x_, q = p_;
  (void)y_;
  return queue(d.stream, {{px, t.bytes()}, {py, t.bytes()}, {scale, q.bytes()}, {shift, q.bytes()}, {running, q.bytes()}, {variance, q.bytes()},
                          {mean, q.bytes()}, {inverse, q.bytes()}}, [=] {
    const float* v = floats(px);
    const double count = (double)t.n * t.h * t.w;
    for (int c = 0; c < t.c; c++) {
      double s = 0, squares = 0;
      channel(t, c, [&](long i) { s += v[i]; });
      const double mu = s / count;
      channel(t, c, [&](long i) { squares += (v[i] - mu) * (v[i] - mu); });
      const double inv = 1 / sqrt(squares / count + eps);
      floats(mean)[c] = (float)mu;
      floats(inverse)[c] = (float)inv;
      // A running statistic that was no number stays none, whatever the factor.
      floats(running)[c] = (float)((1 - factor) * floats(running)[c] + factor * mu);
      floats(variance)[c] = (float)((1 - factor) * floats(variance)[c] + factor * squares / (count - 1));
      channel(t, c, [&](long i) { floats(py)[i] = (float)(floats(scale)[c] * ((v[i] - mu) * inv) + floats(shift)[c]); });
    }
  }, BAD, FAILED);
}

API cudnnBatchNormalizationBackward(void* h, int mode, const float* alpha, const float* beta, const float* palpha, const float* pbeta, void* x, uint64_t px,
                                    void* dy, uint64_t pd, void* dx, uint64_t po, void* p, uint64_t scale, uint64_t dscale, uint64_t dshift, double eps,
                                    uint64_t mean, uint64_t inverse) {
  ENTER; HANDLE; KNOWN(tensors, Tensor, x); KNOWN(tensors, Tensor, p);
  if (mode != 1 || *alpha != 1 || *beta != 0 || *palpha != 1 || *pbeta != 0 || x != dy || x != dx || !p_.is(1, x_.c, 1, 1) || !(eps > 0 && eps < 1) ||
      !d.stream || pd == po || px == po)
    return BAD;
  const Tensor t = x_, q = p_;
  return queue(d.stream, {{px, t.bytes()}, {pd, t.bytes()}, {po, t.bytes()}, {scale, q.bytes()}, {dscale, q.bytes()}, {dshift, q.bytes()}, {mean, q.bytes()},
                          {inverse, q.bytes()}}, [=] {
    const float *v = floats(px), *g = floats(pd);
    const double count = (double)t.n * t.h * t.w;
    for (int c = 0; c < t.c; c++) {
      const double mu = floats(mean)[c], inv = floats(inverse)[c];
      double s = 0, k = 0;
      channel(t, c, [&](long i) { s += g[i]; k += g[i] * ((v[i] - mu) * inv); });
      channel(t, c, [&](long i) { floats(po)[i] = (float)(floats(scale)[c] * inv * (g[i] - s / count - (v[i] - mu) * inv * k / count)); });
      floats(dshift)[c] = (float)s;
      floats(dscale)[c] = (float)k;
    }
  }, BAD, FAILED);
}
