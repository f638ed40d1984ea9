"""Files that gradsync and PyTorch share, read with the standard library and numpy.

Images: IDX (MNIST, Fashion-MNIST) and CIFAR-10's binary batches, from one folder,
plain or packed with gzip or xz. Tensors: safetensors, float32 only.
"""
import gzip
import json
import lzma
import os
import struct
import sys
import zlib

import numpy as np


class Mismatch(ValueError):
    """A file is of another network than the one asked for."""


def one_line(main):
    """Run main. What is wrong with a file, a folder or a network is one line on
    standard error: exit code 2 for a file of another network, else 1."""
    try:
        main()
    except (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error) as e:
        print(f"{os.path.basename(sys.argv[0])}: {' '.join(str(e).split())}", file=sys.stderr)
        sys.exit(2 if isinstance(e, Mismatch) else 1)


def _parse(path):
    """Header and data of a safetensors file."""
    with open(path, "rb") as f:
        raw = f.read()
    try:
        (n,) = struct.unpack_from("<Q", raw)
        header = json.loads(raw[8 : 8 + n])
    except (struct.error, ValueError):
        header = None
    if not isinstance(header, dict):
        raise ValueError(f"{path} is no safetensors file")
    return header, raw[8 + n :]


def read_metadata(path):
    """{key: text} of a safetensors file, empty without."""
    return _parse(path)[0].get("__metadata__", {})


def read_safetensors(path):
    """{name: float32 array} of a safetensors file."""
    header, body = _parse(path)
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        if entry["dtype"] != "F32":
            raise ValueError(f"{path}: {name} has dtype {entry['dtype']}, want F32")
        begin, end = entry["data_offsets"]
        if end > len(body):
            raise ValueError(f"{path} ends within {name}")
        tensors[name] = np.frombuffer(body[begin:end], "<f4").reshape(entry["shape"]).copy()
    return tensors


def write_safetensors(path, tensors):
    """Write {name: float32 array}."""
    header, at = {}, 0
    for name, t in tensors.items():
        size = 4 * t.size
        header[name] = {"dtype": "F32", "shape": list(t.shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for t in tensors.values():
            f.write(np.ascontiguousarray(t, "<f4").tobytes())


def _open(folder, name):
    for suffix, opener in (("", open), (".gz", gzip.open), (".xz", lzma.open)):
        path = os.path.join(folder, name + suffix)
        if os.path.exists(path):
            with opener(path, "rb") as f:
                return f.read()
    raise FileNotFoundError(f"{folder}: {name} is not there, neither plain nor as .gz or .xz")


def _idx(folder, prefix):
    raw = _open(folder, prefix + "-images-idx3-ubyte")
    magic, n, h, w = struct.unpack_from(">4I", raw.ljust(16))
    if magic != 0x803 or len(raw) != 16 + n * h * w:
        raise ValueError(f"{folder}: {prefix}-images-idx3-ubyte is no IDX file of images")
    pixels = np.frombuffer(raw, np.uint8, offset=16).reshape(n, 1, h, w)
    labels = np.frombuffer(_open(folder, prefix + "-labels-idx1-ubyte"), np.uint8, offset=8)
    return pixels, labels


def _cifar(folder, names):
    raw = np.concatenate([np.frombuffer(_open(folder, n), np.uint8).reshape(-1, 3073) for n in names])
    return raw[:, 1:].reshape(-1, 3, 32, 32), raw[:, 0]


def read_split(folder, split):
    """(pixels uint8 [n,c,h,w], labels uint8 [n]) of split train or test."""
    if any(n.startswith("test_batch") for n in os.listdir(folder)):
        batches = [f"data_batch_{i}.bin" for i in range(1, 6)] if split == "train" else ["test_batch.bin"]
        return _cifar(folder, batches)
    return _idx(folder, "train" if split == "train" else "t10k")


def moments(pixels):
    """Mean and deviation per channel of pixels scaled to 0…1, from a histogram as
    gradsync's datasets package computes them, so that both see the same inputs."""
    values = np.arange(256, dtype=np.int64)
    mean, std = [], []
    for c in range(pixels.shape[1]):
        count = np.bincount(pixels[:, c].reshape(-1), minlength=256).astype(np.int64)
        n, m = int(count.sum()), int((count * values).sum())
        square = int((count * values * values).sum())
        variance = square / n - (m / n) ** 2
        mean.append(np.float32(m / n / 255))
        std.append(np.float32(np.sqrt(variance) / 255))
    return mean, std


def normalise(pixels, mean, std, channels, side):
    """(pixel/255 − mean)/std as float32, padded with black and repeated over
    channels where the network wants larger or coloured images. A side of 16 is
    the means of 2×2 pixels of one of 32."""
    own = pixels.shape[2]
    sides = sorted({own, 16, 32}) if own in (28, 32) else [own]
    if side not in sides or channels not in (pixels.shape[1], 3 * pixels.shape[1]):
        shape, work = "×".join(map(str, pixels.shape[1:])), ", ".join(f"{s}×{s}" for s in sides)
        raise ValueError(f"images of {shape} cannot be brought to {channels}×{side}×{side}: the sizes that work are {work}")
    halve = side == 16 and own != 16
    b = ((32 if halve else side) - own) // 2
    pixels = np.pad(pixels, ((0, 0), (0, 0), (b, b), (b, b)))
    top = 255
    if halve:  # as sums of four, for which there is a table too
        top = 4 * 255
        pixels = sum(pixels[:, :, y::2, x::2].astype(np.int64) for y in (0, 1) for x in (0, 1))
    tables = [((np.arange(top + 1) / top - np.float64(m)) / np.float64(s)).astype(np.float32) for m, s in zip(mean, std)]
    planes = [tables[c][pixels[:, c]] for c in range(pixels.shape[1])]
    return np.stack(planes * (channels // len(planes)), axis=1)
