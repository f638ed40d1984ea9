"""The networks of shared/tensor/model as PyTorch modules.

Names, shapes and order of the parameters are those of gradsync's files. ResNet-18
and VGG-19-BN carry torchvision's names and take a width factor and the side of
the images.
"""
import torch.nn as nn
import torch.nn.functional as F


class LeNet5(nn.Module):
    """ReLU, max-pool, padding 2 on 28×28; 61,706 parameters."""

    channels, side = 1, 28

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc1(x.flatten(1)))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


class MLP(nn.Module):
    """784-512-512-10; 669,706 parameters."""

    channels, side = 1, 28

    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 512)
        self.fc2 = nn.Linear(512, 512)
        self.fc3 = nn.Linear(512, 10)

    def forward(self, x):
        x = F.relu(self.fc1(x.flatten(1)))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


class CNN(nn.Module):
    """Two convolutions and two linear layers for 3×32×32; 545,098 parameters."""

    channels, side = 3, 32

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, 3, padding=1)
        self.conv2 = nn.Conv2d(32, 64, 3, padding=1)
        self.fc1 = nn.Linear(64 * 8 * 8, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc1(x.flatten(1)))
        return self.fc2(x)


class BasicBlock(nn.Module):
    """Two 3×3 convolutions and a shortcut, 1×1 where the shape changes."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = self.bn2(self.conv2(y))
        y += x if self.downsample is None else self.downsample(x)
        return F.relu(y, inplace=True)


class ResNet(nn.Module):
    """3×3 stem, no first max-pool, stages of equal numbers of blocks."""

    channels = 3

    def __init__(self, width, side, stages, blocks):
        super().__init__()
        self.side = side
        c = [int(width * n) for n in stages[:1] + stages]
        self.conv1 = nn.Conv2d(3, c[0], 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(c[0])
        self.stages = len(stages)
        for i in range(1, len(c)):
            first = BasicBlock(c[i - 1], c[i], 1 if i == 1 else 2)
            setattr(self, f"layer{i}", nn.Sequential(first, *(BasicBlock(c[i], c[i], 1) for _ in range(blocks - 1))))
        self.fc = nn.Linear(c[-1], 10)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)), inplace=True)
        for i in range(self.stages):
            x = getattr(self, f"layer{i + 1}")(x)
        return self.fc(x.mean((2, 3)))


class ResNet18(ResNet):
    """Two blocks a stage; 11,173,962 parameters at width 1."""

    def __init__(self, width=1.0, side=32):
        super().__init__(width, side, (64, 128, 256, 512), 2)


class ResNet110(ResNet):
    """He et al. 2016, Section 4.2, n = 18, with option B; 1,730,714 parameters at width 1."""

    def __init__(self, width=1.0, side=32):
        super().__init__(width, side, (16, 32, 64), 18)


class Pool(nn.MaxPool2d):
    """2×2, and a map of 1×1 passes through."""

    def forward(self, x):
        return x if x.shape[2:] == (1, 1) else super().forward(x)


class VGG19BN(nn.Module):
    """One linear classifier behind a global average; 20,040,522 parameters at width 1."""

    channels = 3

    def __init__(self, width=1.0, side=32):
        super().__init__()
        self.side = side
        layers, c = [], 3
        for n, convolutions in ((64, 2), (128, 2), (256, 4), (512, 4), (512, 4)):
            for _ in range(convolutions):
                layers += [nn.Conv2d(c, int(width * n), 3, padding=1), nn.BatchNorm2d(int(width * n)), nn.ReLU(inplace=True)]
                c = int(width * n)
            layers.append(Pool(2, 2))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(c, 10)

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3)))


MODELS = {"lenet5": LeNet5, "mlp": MLP, "cnn": CNN, "resnet18": ResNet18, "resnet110": ResNet110, "vgg19_bn": VGG19BN}


def build(name, tensors=None, width=1.0, image=0):
    """The network, with the given {name: numpy array} as its parameters and, if
    they are there, its running statistics."""
    import torch

    scaled = {} if MODELS[name] in (LeNet5, MLP, CNN) else {"width": width, "side": image or 32}
    if not scaled and (width != 1 or image not in (0, MODELS[name].side)):
        raise ValueError(f"{name} comes in one size only")
    if not 1 / 64 <= width <= 16:
        raise ValueError(f"--width {width:g}: 1/64 to 16")
    model = MODELS[name](**scaled)
    if tensors is not None:
        own = model.state_dict()
        wrong = [k for k, _ in model.named_parameters() if k not in tensors] + [k for k in tensors if k not in own]
        wrong += [k for k in tensors if k in own and tensors[k].shape != own[k].shape]
        if wrong:
            raise ValueError(f"not the tensors of {name} of width {width:g}: {len(wrong)} are missing, too many or of another shape, {wrong[0]} first")
        model.load_state_dict({k: torch.from_numpy(v) for k, v in tensors.items()}, strict=False)
    return model


def load(path, name, width=1.0, image=0):
    """The network with the parameters of a file. A file that says of which network
    it is must be of this one."""
    import torch_files as files  # needs numpy, which building a network does not

    tensors, said = files.read_safetensors(path), files.read_metadata(path)
    side = image or getattr(MODELS[name], "side", 32)
    if all(k in said for k in ("model", "width", "image")):
        holds = f"{said['model']} of width {said['width']} on {said['image']}×{said['image']} images"
        asked = f"{name} of width {width:g} on {side}×{side} images"
        if (said["model"], float(said["width"]), said["image"]) != (name, width, str(side)):
            raise files.Mismatch(f"{path} holds {holds}, not {asked}")
    return build(name, tensors, width, image)
