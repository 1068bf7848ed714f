"""Two ranks train on shares of one data set, or with a fault of the given name in how they share it."""

import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

fault = sys.argv[1]
dist.init_process_group("gloo")
torch.manual_seed(0)
x = torch.randn(640, 16, generator=torch.Generator().manual_seed(1))
data = TensorDataset(x, (x @ torch.randn(16, 4, generator=torch.Generator().manual_seed(5))).argmax(1))
model = DistributedDataParallel(nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
sampler = DistributedSampler(data)
if fault == "no_sampler":
    loader = DataLoader(data, 16, shuffle=True)
else:
    loader = DataLoader(data, 16, sampler=sampler)
for epoch in range(4):
    if fault == "none":
        sampler.set_epoch(epoch)
    for inputs, labels in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()
dist.barrier()
dist.destroy_process_group()
