// All kernels that ship. Deterministic: no atomics, every sum in an order that the shape
// alone decides; no library, no header of others.
#ifndef SHIM
#include "prelude.h"
#endif
#include "common.h"
#include "product.h"
#include "norm.h"
#include "element.h"
#include "pool.h"
#include "loss.h"
#include "codec.h"
