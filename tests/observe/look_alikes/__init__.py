"""Small healthy programs that could raise a sign which shows a fault. Each is run as it stands."""

from __future__ import annotations

DATA = """
import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
torch.set_num_threads(1)
C = torch.randn(4, 16) * 1.2
def make(n):
    y = torch.randint(0, 4, (n,))
    return C[y] + torch.randn(n, 16), y
"""
LOADERS = (
    DATA
    + """
from torch.utils.data import DataLoader, TensorDataset
train = TensorDataset(*make(1000)); val = TensorDataset(*make(400))
tl = DataLoader(train, 32, shuffle=True); vl = DataLoader(val, 64)
"""
)
