"""The network of the frameworks that train torch modules."""

import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(16, 64)
        self.second = nn.Linear(64, 64)
        self.dropout = nn.Dropout(0.3)
        self.head = nn.Linear(64, 4)

    def forward(self, x):
        h = F.relu(self.first(x))
        h = F.relu(self.second(h))
        h = self.dropout(h)
        return self.head(h)
