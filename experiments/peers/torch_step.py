#!/usr/bin/env python3
"""Time training steps in PyTorch: the worker of `gradsync bench step`.

    OPENBLAS_NUM_THREADS=1 OMP_WAIT_POLICY=passive python3 torch_step.py

Speaks the protocol of experiments/bench, one JSON object a line: a job on
standard input, then orders {"steps": n} or {"stop": true}, each answered on
standard output. A step is forward, backward and plain SGD on random images. The contender
"pytorch-cuda" takes the job's device, in fp32 without TF32; what is timed ends
when the device is done, since the loss is read. "pytorch-compile" is the network
that torch.compile makes of it, which takes a C++ compiler and a minute.
"""
import ctypes
import json
import os
import re
import resource
import sys
import time

import torch
import torch.nn.functional as F

import torch_models

SLOW = 3.0  # seconds of a step from which on none is run uncounted, as in experiments/bench
RATE = 1e-4  # as in experiments/bench: the weights stay near where they were drawn
ISA = {0x1: "SSE4.1", 0x3: "AVX", 0x7: "AVX2", 0x27: "AVX-512", 0x67: "AVX-512 VNNI", 0xE7: "AVX-512 BF16", 0x3E7: "AVX-512 and AMX"}


class Trainee:
    """One network in training on one batch."""

    def __init__(self, job):
        torch.manual_seed(1)
        options = {k: job[k] for k in ("width", "image") if job.get(k)}
        self.device = torch.device("cpu")
        if job["contender"] == "pytorch-cuda":
            self.device = torch.device(job["device"])
            torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        self.model = torch_models.build(job["model"], **options).train().to(self.device)
        side = job.get("image") or self.model.side
        self.x = torch.randn(job["batch"], self.model.channels, side, side, device=self.device)
        with torch.no_grad():
            classes = self.model(self.x).shape[1]
        self.y = torch.randint(classes, (job["batch"],), device=self.device)
        self.sgd = torch.optim.SGD(self.model.parameters(), lr=RATE)
        if job["contender"] == "pytorch-compile":
            self.model = torch.compile(self.model)
            self.run(1)  # compiles, or says why it cannot

    def run(self, steps):
        for _ in range(steps):
            self.sgd.zero_grad(set_to_none=True)
            loss = F.cross_entropy(self.model(self.x), self.y)
            loss.backward()
            self.sgd.step()
        if not loss.item() < 1e6:
            raise ValueError(f"the loss became {loss.item()}")


def libraries(device):
    """Which libraries this PyTorch computes with, one sentence each."""
    said = [f"PyTorch {torch.__version__}, Python {sys.version.split()[0]}"]
    if device.type == "cuda":
        said.append(f"{torch.cuda.get_device_name(device)}, CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}, no TF32")
        return said
    config = torch.__config__.show()
    found = re.search(r"CPU capability usage: (\S+)", config)
    said.append("ATen: " + (found.group(1) if found else "CPU capability not said"))
    mapped = set()
    if os.path.exists("/proc/self/maps"):
        with open("/proc/self/maps") as f:
            mapped = {line.split()[-1] for line in f if re.search(r"/lib(openblas|blas|mkl|dnnl)[^/]*$", line)}
    found = re.search(r"MKL-DNN (v[\d.]+)", config) or re.search(r"oneDNN (v[\d.]+)", config)
    onednn = f"oneDNN {found.group(1)}" if torch.backends.mkldnn.is_available() and found else "no oneDNN"
    for path in sorted(mapped):
        try:
            isa = ctypes.CDLL(path).dnnl_get_effective_cpu_isa()
            onednn += f", instruction set {ISA.get(isa, hex(isa))}"
        except AttributeError:
            pass
    said.append(onednn)
    blas = "BLAS: " + (", ".join(os.path.basename(p) for p in sorted(mapped) if "dnnl" not in p) or "built in")
    for path in sorted(mapped):
        try:
            lib = ctypes.CDLL(path)
            lib.openblas_get_config.restype = lib.openblas_get_corename.restype = ctypes.c_char_p
            blas += f" ({' '.join(lib.openblas_get_config().decode().split()[:2])}, kernels of {lib.openblas_get_corename().decode()})"
            break
        except AttributeError:
            pass
    said.append(blas)
    found = re.search(r"ATen parallel backend: (\S+)", torch.__config__.parallel_info())
    settings = [f"{k}={os.environ[k]}" for k in ("OPENBLAS_NUM_THREADS", "OPENBLAS_CORETYPE", "OMP_WAIT_POLICY") if k in os.environ]
    said.append(f"threads: {torch.get_num_threads()} of {found.group(1) if found else 'an unknown backend'}; {' '.join(settings)}")
    return said


def peak_bytes():
    """The largest resident set of this process."""
    try:
        with open("/proc/self/status") as f:
            return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024


def timed(trainee, steps):
    start = time.perf_counter()
    trainee.run(steps)
    return time.perf_counter() - start


def warm(trainee):
    """Seconds of a warm step; as experiments/bench warms up."""
    step, steps, took = timed(trainee, 1), 1, 0.0
    while took < 0.05 and step < SLOW:
        took = timed(trainee, steps)
        step, steps = took / steps, steps * 2
    return step


def answer(**reply):
    print(json.dumps(reply), flush=True)


def main():
    job = json.loads(sys.stdin.readline())
    torch.set_num_threads(job["threads"])
    try:
        trainee = Trainee(job)
    except Exception as e:  # whatever it is, gradsync prints it as a note
        answer(error=f"cannot build {job['model']}: {type(e).__name__}: {e}")
        return
    step = warm(trainee)
    answer(**{"class": "pytorch", "step_seconds": step, "facts": libraries(trainee.device)})
    for line in sys.stdin:
        order = json.loads(line)
        if order.get("stop"):
            answer(peak_bytes=peak_bytes())
            return
        if order.get("profile_seconds"):
            answer()  # its profile is not ours to explain
            continue
        if step < SLOW:  # others had the caches since the last round
            trainee.run(1)
        cpu = time.process_time()
        took = timed(trainee, order["steps"])
        used = time.process_time() - cpu
        answer(steps=order["steps"], seconds=took, cpu_seconds=used, mallocs=-1)


if __name__ == "__main__":
    main()
