#!/usr/bin/env python3
"""Time a float32 product in NumPy's OpenBLAS: a contender of `gradsync bench product`.

    python3 numpy_gemm.py BenchmarkProduct/size=512/threads=1/by=openblas 0.25
"""
import os
import sys
import time

name, seconds = sys.argv[1], float(sys.argv[2])
keys = dict(part.split("=", 1) for part in name.split("/")[1:])
os.environ["OPENBLAS_NUM_THREADS"] = keys["threads"]  # read when NumPy loads it
try:
    import numpy as np
except ImportError as e:
    raise SystemExit(f"no NumPy: {e}")

n = int(keys["size"])
a, b, out = (np.random.default_rng(i).standard_normal((n, n), dtype=np.float32) for i in range(3))
np.matmul(a, b, out=out)  # which does not count
steps, took, start = 0, 0.0, time.perf_counter()
while took < seconds:
    np.matmul(a, b, out=out)
    steps, took = steps + 1, time.perf_counter() - start
if not np.allclose(out[0], a[0].astype(np.float64) @ b, atol=1e-3):
    raise SystemExit("the product is wrong")
blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
print(f"library: NumPy {np.__version__}, {blas['name']} {blas['version']}")
print(name, steps, 1e9 * took / steps, "ns/op", sep="\t")
