// Softmax cross entropy in double precision, the bits of the engines on the CPU: both
// have fdlibm's elementary functions (Sun Microsystems 1993; in Go the package explog).
#pragma once

device_fn double of_bits(unsigned long long v) { return __builtin_bit_cast(double, v); }

// e^x = 2^k·e^r, r = x − k·ln 2.
device_fn double exponential(double x) {
  if (x != x || x > 1.79769313486231570815e+308) return x;
  if (x < -7.45133219101941108420e+02) return 0.0;
  if (x > 7.09782712893383973096e+02) return of_bits(0x7ff0000000000000ull);
  const double k = __builtin_floor(x * 1.44269504088896340736 + 0.5);
  const double hi = x - k * 6.93147180369123816490e-01, lo = k * 1.90821492927058770002e-10;
  const double r = hi - lo, t = r * r;
  double p = -1.65339022054652515390e-06 + t * 4.13813679705723846039e-08;
  p = 6.61375632143793436117e-05 + t * p;
  p = -2.77777777770155933842e-03 + t * p;
  p = 1.66666666666666657415e-01 + t * p;
  const double c = r - t * p;
  const double y = 1.0 - ((lo - r * c / (2.0 - c)) - hi);
  const long long e = (long long)k;
  if (e >= -1021 && e <= 1023) return y * of_bits((unsigned long long)(1023 + e) << 52);
  // Out of the range of exponents: an exact product first, then the only one that rounds.
  const long long more = e < 0 ? 64 : -64;
  return y * of_bits((unsigned long long)(1023 + e + more) << 52) * of_bits((unsigned long long)(1023 - more) << 52);
}

// x = 2^k·(1+f), s = f/(2+f), log(1+f) = 2s + 2s³/3 + …, for x ≥ 1.
device_fn double logarithm(double x) {
  if (x != x || x > 1.79769313486231570815e+308) return x;
  const unsigned long long word = __builtin_bit_cast(unsigned long long, x);
  double m = of_bits((word & ((1ull << 52) - 1)) | 1022ull << 52);
  long long k = (long long)(word >> 52) - 1022;
  if (m < 0.70710678118654752440) {
    m *= 2.0;
    k--;
  }
  const double f = m - 1.0, s = f / (2.0 + f), s2 = s * s, s4 = s2 * s2;
  double a = 1.818357216161805012e-01 + s4 * 1.479819860510658591e-01;
  a = 2.857142874366239149e-01 + s4 * a;
  a = s2 * (6.666666666666735130e-01 + s4 * a);
  double b = 2.222219843214978396e-01 + s4 * 1.531383769920937332e-01;
  b = s4 * (3.999999999940941908e-01 + s4 * b);
  const double half = 0.5 * f * f, kf = (double)k;
  const double tail = s * (half + (a + b)) + kf * 1.90821492927058770002e-10;
  return kf * 6.93147180369123816490e-01 - ((half - tail) - f);
}

// A thread per image: loss[i], and its part of the gradient of the mean of n losses.
KERNEL(softmax_cross_entropy)(const float* logits, const unsigned char* labels, float* dlogits, double* loss, int n, int classes) {
  FOR_EACH(i, n) {
    const float* z = logits + (long)i * classes;
    const int label = labels[i];
    float top = z[0];
    for (int j = 1; j < classes; j++) {
      float v = z[j];
      if (v > top || v != v) top = v;
    }
    double sum = 0.0;
    for (int j = 0; j < classes; j++) sum += exponential((double)z[j] - (double)top);
    loss[i] = logarithm(sum) - ((double)z[label] - (double)top);
    for (int j = 0; j < classes; j++) {
      double p = exponential((double)z[j] - (double)top) / sum;
      if (j == label) p -= 1.0;
      dlogits[(long)i * classes + j] = (float)(p / (double)n);
    }
  }
}

// mean[0] = Σ loss / n, added in order by one thread: hosts do the same.
KERNEL(mean_loss)(const double* loss, double* mean, int n) {
  if (block_x() != 0 || thread_x() != 0) return;
  double s = 0.0;
  for (int i = 0; i < n; i++) s += loss[i];
  mean[0] = s / (double)n;
}
