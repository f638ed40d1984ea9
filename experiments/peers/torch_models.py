"""The networks of shared/tensor/model as PyTorch modules.

Names, shapes and order of the parameters are those of gradsync's files:
conv1 conv2 fc1 fc2 fc3, weight then bias.
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


MODELS = {"lenet5": LeNet5, "mlp": MLP, "cnn": CNN}


def build(name, tensors=None):
    """The network, with the given {name: numpy array} as its parameters."""
    import torch

    model = MODELS[name]()
    if tensors is not None:
        model.load_state_dict({k: torch.from_numpy(v) for k, v in tensors.items()}, strict=True)
    return model
