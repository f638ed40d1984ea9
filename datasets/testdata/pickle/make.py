"""Writes p0.pickle … p5.pickle: one batch of two images, pickled by CPython as
numpy pickles its arrays. Run in this folder: python3 make.py

The classes below reproduce numpy's __reduce__ (numpy/_core/src/multiarray/methods.c,
array_reduce, array_reduce_ex_picklebuffer), so that no numpy is needed. p0 and p2
use str keys, the rest bytes keys as in a batch that Python 3 re-saved.
Pixel j of image i is (31*i + 7*j + j//256) % 256; labels are 3 and 9.
"""
import pickle
import sys
import types

core = types.ModuleType("numpy.core.multiarray")
numeric = types.ModuleType("numpy.core.numeric")
numpy = types.ModuleType("numpy")


class ndarray:
    def __init__(self, shape, data):
        self.shape, self.data = shape, data

    def __reduce_ex__(self, protocol):
        if protocol >= 5:
            return numeric._frombuffer, (pickle.PickleBuffer(self.data), dtype("u1"), self.shape, "C")
        return core._reconstruct, (ndarray, (0,), b"b"), (1, self.shape, dtype("u1"), False, bytes(self.data))


class dtype:
    def __init__(self, kind):
        self.kind = kind

    def __reduce__(self):
        return dtype, (self.kind, False, True), (3, "|", None, None, None, -1, -1, 0)

    def __setstate__(self, state):
        pass


def _reconstruct(*args):
    raise NotImplementedError


def _frombuffer(*args):
    raise NotImplementedError


core._reconstruct, numeric._frombuffer = _reconstruct, _frombuffer
numpy.ndarray, numpy.dtype = ndarray, dtype
for obj, module in ((ndarray, "numpy"), (dtype, "numpy"),
                    (_reconstruct, "numpy.core.multiarray"), (_frombuffer, "numpy.core.numeric")):
    obj.__module__ = module
for m in (numpy, core, numeric):
    sys.modules[m.__name__] = m

pixels = bytearray((31 * i + 7 * j + j // 256) % 256 for i in range(2) for j in range(3072))
for protocol in (0, 2, 3, 4, 5):
    key = (lambda k: k) if protocol <= 2 else (lambda k: k.encode())
    batch = {
        key("batch_label"): key("training batch 1 of 5"),
        key("labels"): [3, 9],
        key("data"): ndarray((2, 3072), pixels),
        key("filenames"): [key("leptodactylus_pentadactylus_s_000004.png"), key("camion_s_000148.png")],
    }
    with open("p%d.pickle" % protocol, "wb") as f:
        pickle.dump(batch, f, protocol)
