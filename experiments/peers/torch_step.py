#!/usr/bin/env python3
"""Time training steps in PyTorch: a contender of `gradsync bench step`.

    OMP_WAIT_POLICY=passive python3 torch_step.py BenchmarkStep/model=lenet5/batch=64/threads=2/by=pytorch 0.25

Prints a line of Go's benchmark format. A step is forward, backward and plain SGD on random images; at-once
steps are a process each, which begin together, and the slowest counts. "pytorch-cuda" takes the first GPU, in fp32
without TF32; what is timed ends when the device is done, since the loss is read.
"""
import multiprocessing
import re
import resource
import sys
import time

RATE = 1e-4  # as in experiments/bench: the weights stay near where they were drawn


class Trainee:
    """One network in training on one batch."""

    def __init__(self, torch, keys):
        import torch_models
        torch.manual_seed(1)
        self.cross_entropy = torch.nn.functional.cross_entropy
        cuda = keys["by"] == "pytorch-cuda"
        self.device = torch.device("cuda:0" if cuda else "cpu")
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        options = {k: kind(keys[k]) for k, kind in (("width", float), ("image", int)) if k in keys}
        self.model = torch_models.build(keys["model"], **options).train().to(self.device)
        side, batch = int(keys.get("image") or self.model.side), int(keys["batch"])
        self.x = torch.randn(batch, self.model.channels, side, side, device=self.device)
        with torch.no_grad():
            classes = self.model(self.x).shape[1]
        self.y = torch.randint(classes, (batch,), device=self.device)
        self.sgd = torch.optim.SGD(self.model.parameters(), lr=RATE)

    def timed(self, steps):
        start = time.perf_counter()
        for _ in range(steps):
            self.sgd.zero_grad(set_to_none=True)
            loss = self.cross_entropy(self.model(self.x), self.y)
            loss.backward()
            self.sgd.step()
        if not loss.item() < 1e6:
            raise ValueError(f"the loss became {loss.item()}")
        return time.perf_counter() - start


def library(torch, cuda):
    if cuda:
        return f"PyTorch {torch.__version__}, {torch.cuda.get_device_name(0)}, cuDNN {torch.backends.cudnn.version()}"
    config = torch.__config__.show()
    found = re.search(r"CPU capability usage: (\S+)", config), re.search(r"(?:MKL-DNN|oneDNN) (v[\d.]+)", config)
    isa, onednn = (f.group(1) if f else "unknown" for f in found)
    return f"PyTorch {torch.__version__}, {isa}, oneDNN {onednn}"


def measure(keys, seconds, together, out):
    """Sends steps, seconds, peak bytes and the library's name."""
    try:
        import torch  # here, since its threads do not outlive a fork
    except ImportError as e:
        raise SystemExit(f"no PyTorch: {e}")
    if keys["by"] == "pytorch-cuda" and not torch.cuda.is_available():
        raise SystemExit("no PyTorch with a GPU")
    torch.set_num_threads(int(keys.get("threads", 1)))
    trainee = Trainee(torch, keys)
    trainee.timed(1)
    steps = max(int(seconds / trainee.timed(1)), 1)
    together.wait(500)
    took = trainee.timed(steps)
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    out.put((steps, took, peak, library(torch, keys["by"] == "pytorch-cuda")))


def main():
    name, seconds = sys.argv[1], float(sys.argv[2])
    keys = dict(part.split("=", 1) for part in name.split("/")[1:])
    at_once = int(keys.get("at-once", 1))
    fork = multiprocessing.get_context("fork")
    together, out = fork.Barrier(at_once), fork.Queue()
    ranks = [fork.Process(target=measure, args=(keys, seconds, together, out)) for _ in range(at_once)]
    for p in ranks:
        p.start()
    for p in ranks:
        p.join()
        if p.exitcode:
            raise SystemExit(p.exitcode)
    got = [out.get() for _ in ranks]
    print("library:", got[0][3])
    slowest = max(took / steps for steps, took, _, _ in got)
    print(name, sum(g[0] for g in got), 1e9 * slowest, "ns/op", sum(g[2] for g in got), "peak-B", sep="\t")


if __name__ == "__main__":
    main()
