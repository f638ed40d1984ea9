#!/usr/bin/env python3
"""Mean-loss gradients in PyTorch, to compare with `gradsync grad`.

    export OPENBLAS_NUM_THREADS=1 OMP_WAIT_POLICY=passive
    gradsync grad  --model lenet5 --load W.safetensors --data mnist --samples 0:32 --out ours.safetensors
    python3 torch_grad.py --model lenet5 --load W.safetensors --data DIR --samples 0:32 --out torch.safetensors
    python3 torch_grad.py --compare ours.safetensors torch.safetensors

ResNet-18 and VGG-19-BN take --width and --image. Their batch norms normalise by
the batch; --eval makes them use the running statistics of the file instead.
--state writes the statistics after the step. --logits writes the outputs.
--data may also be a .safetensors file with tensors x [n,c,h,w] and labels [n].

--samples FROM:TO takes images FROM … TO−1 of the split in file order. --compare
prints, as one JSON object, ‖a−b‖/‖b‖ of every tensor, and exits with 1 when one
exceeds --tolerance. The bias of a convolution before a batch norm that normalises
by the batch has the gradient 0 and only rounding to show: its distance is
‖a−b‖/‖weight‖, with the gradient of its convolution's weight in the second file,
and "against_weight" names it.
"""
import argparse
import json
import sys

import numpy as np
import torch
import torch.nn.functional as F

import torch_files as files
import torch_models


def samples(a, model):
    """Images and labels of --samples, from a data set or from a tensor file."""
    begin, _, end = a.samples.partition(":")
    if not (begin.isdecimal() and end.isdecimal()):
        raise ValueError(f"--samples {a.samples}: want FROM:TO")
    begin, end = int(begin), int(end)
    noise = files.read_safetensors(a.data) if a.data.endswith(".safetensors") else None
    if noise is not None and not {"x", "labels"} <= noise.keys():
        raise ValueError(f"{a.data} lacks x or labels")
    pixels, labels = (noise["x"], noise["labels"]) if noise else files.read_split(a.data, a.split)
    if not 0 <= begin < end <= len(labels):
        raise ValueError(f"--samples {a.samples}: FROM 0 or more, TO above it and at most {len(labels)}")
    x = pixels[begin:end]
    if not noise:
        mean, std = files.moments(files.read_split(a.data, "train")[0])
        x = files.normalise(x, mean, std, model.channels, model.side)
    return torch.from_numpy(x), torch.from_numpy(labels[begin:end].astype("int64"))


def gradients(a):
    """The mean loss of the samples, {name: gradient}, statistics and logits."""
    model = torch_models.load(a.load, a.model, a.width, a.image)
    x, y = samples(a, model)
    if a.double:
        model, x = model.double(), x.double()
    logits = model.train(not a.eval)(x)
    loss = F.cross_entropy(logits, y)
    loss.backward()
    stats = {name: t for name, t in model.named_buffers() if "running" in name}
    numpy = lambda tensors: {name: t.detach().float().numpy() for name, t in tensors.items()}
    grads = {name: t.grad for name, t in model.named_parameters()}
    return loss.item(), numpy(grads), numpy(stats), numpy({"logits": logits})


def norm(v):
    return float(np.linalg.norm(v.astype("f8")))


def vanishing(tensors):
    """{bias: weight} of the convolutions whose bias has the gradient 0, because a
    batch norm follows that takes the channel's mean away: the next tensor is a
    scale of as many channels, and of the bias nothing but rounding is there."""
    names, found = list(tensors), {}
    for weight, bias, scale in zip(names, names[1:], names[2:]):
        w, b, s = (tensors[n] for n in (weight, bias, scale))
        if w.ndim == 4 and b.ndim == 1 and s.shape == b.shape == w.shape[:1] and norm(b) <= 1e-3 * norm(w):
            found[bias] = weight
    return found


def compare(first, second, tolerance):
    """Relative distance of every tensor; true if none exceeds the tolerance."""
    a, b = files.read_safetensors(first), files.read_safetensors(second)
    if a.keys() != b.keys() or any(a[k].shape != b[k].shape for k in a):
        raise ValueError(f"{first} and {second} hold different tensors")
    distance, against = {}, vanishing(b)
    for k in a:
        difference, whole = norm(a[k].astype("f8") - b[k]), norm(b[against.get(k, k)])
        distance[k] = difference / whole if whole else (0.0 if difference == 0 else float("inf"))
    within = all(d <= tolerance for d in distance.values())  # false for NaN
    print(json.dumps({"within": within, "tolerance": tolerance, "against_weight": sorted(against), "distance": distance}))
    return within


def main():
    p = argparse.ArgumentParser(description="gradients in PyTorch, for comparison with gradsync")
    p.add_argument("--model", choices=sorted(torch_models.MODELS))
    p.add_argument("--load", metavar="FILE.safetensors")
    p.add_argument("--data", metavar="DIR")
    p.add_argument("--split", default="train", choices=["train", "test"])
    p.add_argument("--width", type=float, default=1.0)
    p.add_argument("--image", type=int, default=0, metavar="SIDE")
    p.add_argument("--eval", action="store_true", help="normalise by running statistics")
    p.add_argument("--double", action="store_true", help="in float64")
    p.add_argument("--state", metavar="FILE.safetensors")
    p.add_argument("--logits", metavar="FILE.safetensors")
    p.add_argument("--samples", default="0:32", metavar="FROM:TO")
    p.add_argument("--out", metavar="FILE.safetensors")
    p.add_argument("--compare", nargs=2, metavar="FILE.safetensors")
    p.add_argument("--tolerance", type=float, default=1e-4)
    a = p.parse_args()
    if a.compare:
        sys.exit(0 if compare(*a.compare, a.tolerance) else 1)
    if not (a.model and a.load and a.data and a.out):
        p.error("--model, --load, --data and --out, or --compare")
    loss, *results = gradients(a)
    for path, tensors in zip((a.out, a.state, a.logits), results):
        if path:
            files.write_safetensors(path, tensors)
    print(json.dumps({"loss": loss, "samples": a.samples, "out": a.out}))


if __name__ == "__main__":
    files.one_line(main)
