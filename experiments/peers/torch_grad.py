#!/usr/bin/env python3
"""Mean-loss gradients in PyTorch, to compare with `gradsync grad`.

    export OPENBLAS_NUM_THREADS=1 OMP_WAIT_POLICY=passive
    gradsync grad  --model lenet5 --load W.safetensors --data mnist --samples 0:32 --out ours.safetensors
    python3 torch_grad.py --model lenet5 --load W.safetensors --data DIR --samples 0:32 --out torch.safetensors
    python3 torch_grad.py --compare ours.safetensors torch.safetensors

--samples FROM:TO takes images FROM … TO−1 of the split in file order. --compare
prints, as one JSON object, ‖a−b‖/‖b‖ of every tensor, and exits with 1 when one
exceeds --tolerance.
"""
import argparse
import json
import sys

import numpy as np
import torch
import torch.nn.functional as F

import torch_files as files
import torch_models


def gradients(a):
    """The mean loss of the samples and {name: gradient}."""
    model = torch_models.build(a.model, files.read_safetensors(a.load))
    mean, std = files.moments(files.read_split(a.data, "train")[0])
    pixels, labels = files.read_split(a.data, a.split)
    begin, end = (int(v) for v in a.samples.split(":"))
    if not 0 <= begin < end <= len(labels):
        sys.exit(f"samples {a.samples} of {len(labels)}")
    x = files.normalise(pixels[begin:end], mean, std, model.channels, model.side)
    y = torch.from_numpy(labels[begin:end].astype("int64"))
    loss = F.cross_entropy(model(torch.from_numpy(x)), y)
    loss.backward()
    return loss.item(), {name: t.grad.numpy() for name, t in model.named_parameters()}


def compare(first, second, tolerance):
    """Relative distance of every tensor; true if none exceeds the tolerance."""
    a, b = files.read_safetensors(first), files.read_safetensors(second)
    if a.keys() != b.keys() or any(a[k].shape != b[k].shape for k in a):
        sys.exit(f"{first} and {second} hold different tensors")
    distance = {}
    for k in a:
        difference, norm = (float(np.linalg.norm(v.astype("f8"))) for v in (a[k].astype("f8") - b[k], b[k]))
        distance[k] = difference / norm if norm else (0.0 if difference == 0 else float("inf"))
    within = all(d <= tolerance for d in distance.values())  # false for NaN
    print(json.dumps({"within": within, "tolerance": tolerance, "distance": distance}))
    return within


def main():
    p = argparse.ArgumentParser(description="gradients in PyTorch, for comparison with gradsync")
    p.add_argument("--model", choices=sorted(torch_models.MODELS))
    p.add_argument("--load", metavar="FILE.safetensors")
    p.add_argument("--data", metavar="DIR")
    p.add_argument("--split", default="train", choices=["train", "test"])
    p.add_argument("--samples", default="0:32", metavar="FROM:TO")
    p.add_argument("--out", metavar="FILE.safetensors")
    p.add_argument("--compare", nargs=2, metavar="FILE.safetensors")
    p.add_argument("--tolerance", type=float, default=1e-4)
    a = p.parse_args()
    if a.compare:
        sys.exit(0 if compare(*a.compare, a.tolerance) else 1)
    if not (a.model and a.load and a.data and a.out):
        p.error("--model, --load, --data and --out, or --compare")
    loss, grads = gradients(a)
    files.write_safetensors(a.out, grads)
    print(json.dumps({"loss": loss, "samples": a.samples, "out": a.out}))


if __name__ == "__main__":
    main()
