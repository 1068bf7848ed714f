"""Two ranks train a model whose weights are sharded (FSDP2, on the CPU). A rank that reads a weight alone waits for the
other one for ever, or makes it read something else."""

import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

rank = int(os.environ["RANK"])
dist.init_process_group("gloo")
mesh = init_device_mesh("cpu", (2,))
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
for layer in (model[0], model[2], model):
    fully_shard(layer, mesh=mesh)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
for step in range(30):
    x = torch.randn(8, 16)
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), x[:, :4].argmax(1))
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if step % 10 == 9:
        model.eval()
        with torch.no_grad():
            model(x)
        model.train()
total = sum(p.full_tensor().double().sum() for p in model.parameters())
if rank == 0:
    print(f"{total.item():.12f}")
sys.stdout.flush()
dist.barrier()  # neither rank leaves while the other one needs it
dist.destroy_process_group()
