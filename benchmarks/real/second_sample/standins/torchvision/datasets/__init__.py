import os
import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset

_DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "_data")


class VisionDataset(Dataset):
    pass


class _Gen(VisionDataset):
    name, grey, classes = "", True, [str(i) for i in range(10)]

    def __init__(self, root=".", train=True, transform=None, target_transform=None, download=False):
        self.root, self.train, self.transform, self.target_transform = root, train, transform, target_transform
        z = np.load(os.path.join(_DATA, self.name + ".npz"))
        k = "train" if train else "test"
        self.data, self.targets = z[k], z[k + "_y"]
        if self.grey:
            self.data, self.targets = torch.from_numpy(self.data), torch.from_numpy(self.targets)
        else:
            self.targets = self.targets.tolist()

    train_labels = test_labels = property(lambda s: s.targets)
    train_data = test_data = property(lambda s: s.data)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        x, y = self.data[i], int(self.targets[i])
        x = Image.fromarray(x.numpy() if self.grey else x)
        if self.transform is not None:
            x = self.transform(x)
        if self.target_transform is not None:
            y = self.target_transform(y)
        return x, y


class MNIST(_Gen):
    name = "MNIST"


class CIFAR10(_Gen):
    name, grey = "CIFAR10", False
    classes = ['airplane', 'automobile', 'bird', 'cat', 'deer', 'dog', 'frog', 'horse', 'ship', 'truck']
