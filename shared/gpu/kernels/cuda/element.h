// Element by element: each thread reads and writes the same index, so that outputs may
// be inputs.
#pragma once

KERNEL(add)(const float* a, const float* b, float* y, int n, int clip) {
  FOR_EACH(i, n) {
    float v = a[i] + b[i];
    y[i] = clip ? relu(v) : v;
  }
}

// Adds a channel's bias to y in place, then does the ReLU.
KERNEL(bias_forward)(const float* bias, float* y, int total, int C, int hw, int clip) {
  FOR_EACH(i, total) {
    float v = y[i] + bias[i / hw % C];
    y[i] = clip ? relu(v) : v;
  }
}

KERNEL(relu_forward)(const float* x, float* y, int n) {
  FOR_EACH(i, n) y[i] = relu(x[i]);
}

KERNEL(relu_backward)(const float* y, const float* dy, float* dx, int n) {
  FOR_EACH(i, n) dx[i] = passed(y[i], dy[i]);
}

// Gradient descent as optim.SGD does it, every product rounded before it is added:
// g += decay·θ, v = momentum·v + g (v = g at the first step), θ −= rate·v.
KERNEL(update)(float* params, float* velocity, const float* grad, int n, float rate, float momentum, float decay, int first) {
  FOR_EACH(i, n) {
    float g = grad[i];
    if (decay != 0.0f) g += decay * params[i];
    if (momentum != 0.0f) {
      if (!first) g += momentum * velocity[i];
      velocity[i] = g;
    }
    params[i] += -rate * g;
  }
}
