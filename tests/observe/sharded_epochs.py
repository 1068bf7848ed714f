"""Two ranks train a sharded model (FSDP2) over epochs of their shares of the data, validate and clip: a healthy job."""

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(2048, 16)
y = (x[:, 0] * x[:, 1] > 0).long() + 2 * (x[:, 2] + 0.5 * x[:, 3] > 0).long()
data, test = TensorDataset(x[:1536], y[:1536]), TensorDataset(x[1536:], y[1536:])
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
mesh = init_device_mesh("cpu", (world,))
for layer in model:
    if isinstance(layer, nn.Linear):
        fully_shard(layer, mesh=mesh)
fully_shard(model, mesh=mesh)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
sampler = DistributedSampler(data, shuffle=True)
loader = DataLoader(data, 16, sampler=sampler)
test_loader = DataLoader(test, 64, sampler=DistributedSampler(test, shuffle=False))
for epoch in range(10):
    sampler.set_epoch(epoch)
    model.train()
    for a, b in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(a), b)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    model.eval()
    total = torch.zeros(2)
    with torch.no_grad():
        for a, b in test_loader:
            total += torch.tensor([F.cross_entropy(model(a), b, reduction="sum").item(), len(b)])
    dist.all_reduce(total)
    if rank == 0:
        print(epoch, (total[0] / total[1]).item(), flush=True)
dist.destroy_process_group()
