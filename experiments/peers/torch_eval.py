#!/usr/bin/env python3
"""Evaluate weights that gradsync saved, in PyTorch.

    OPENBLAS_NUM_THREADS=1 OMP_WAIT_POLICY=passive \
        python3 torch_eval.py --model lenet5 --load W.safetensors --data DIR

DIR holds MNIST's or Fashion-MNIST's four IDX files or CIFAR-10's binary batches.
ResNet-18 and VGG-19-BN take --width and --image, 16 or 32, which must be those of
a file that says them. Inputs are normalised with the training images' mean and
deviation, or with --mean and --std. Prints one JSON object: correct, total, accuracy.
"""
import argparse
import json

import torch

import torch_files as files
import torch_models


def main():
    p = argparse.ArgumentParser(description="evaluate a .safetensors file of gradsync in PyTorch")
    p.add_argument("--model", required=True, choices=sorted(torch_models.MODELS))
    p.add_argument("--load", required=True, metavar="FILE.safetensors")
    p.add_argument("--data", required=True, metavar="DIR")
    p.add_argument("--split", default="test", choices=["train", "test"])
    p.add_argument("--width", type=float, default=1.0)
    p.add_argument("--image", type=int, default=0, metavar="SIDE")
    p.add_argument("--mean", type=float, nargs="*", help="per channel, instead of the training images'")
    p.add_argument("--std", type=float, nargs="*", help="per channel, instead of the training images'")
    p.add_argument("--batch", type=int, default=250)
    p.add_argument("--logits", metavar="FILE.safetensors", help="also write the logits of all images")
    a = p.parse_args()

    model = torch_models.load(a.load, a.model, a.width, a.image).eval()
    if a.mean and a.std:
        mean, std = a.mean, a.std
    else:
        mean, std = files.moments(files.read_split(a.data, "train")[0])
    pixels, labels = files.read_split(a.data, a.split)
    correct, rows = 0, []
    with torch.no_grad():
        for i in range(0, len(labels), a.batch):
            x = files.normalise(pixels[i : i + a.batch], mean, std, model.channels, model.side)
            z = model(torch.from_numpy(x))
            rows.append(z)
            correct += int((z.argmax(1) == torch.from_numpy(labels[i : i + a.batch].astype("int64"))).sum())
    if a.logits:
        files.write_safetensors(a.logits, {"logits": torch.cat(rows).numpy()})
    print(json.dumps({"correct": correct, "total": len(labels), "accuracy": correct / len(labels)}))


if __name__ == "__main__":
    files.one_line(main)
