"""Two ranks train replicas of one model, healthy or with a fault of the given name."""

import os
import signal
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

fault = sys.argv[1]
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0 if fault != "independent" else rank)
net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
by_hand = fault in ("bias_forgotten", "local_sgd")
model = net if by_hand or fault == "independent" else DistributedDataParallel(net)
if fault == "initialised_late":
    torch.manual_seed(rank)
    nn.init.normal_(net[0].weight, std=0.2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
own = torch.Generator().manual_seed(100 + rank)
teacher = torch.randn(16, 4, generator=torch.Generator().manual_seed(5))
for step in range(100):
    x = torch.randn(32, 16, generator=own)
    if fault == "killed_rank" and rank == 1 and step == 40:
        time.sleep(0.3)  # until what was measured is written
        os.kill(os.getpid(), signal.SIGKILL)
    if fault == "slow_rank" and rank == 1:
        time.sleep(0.02)
    optimizer.zero_grad()
    if fault == "bypassed":
        scores = model.module(x)
    else:
        scores = model(x)
    loss = nn.functional.cross_entropy(scores, (x @ teacher).argmax(1))
    loss.backward()
    if fault == "bias_forgotten":
        for name, parameter in net.named_parameters():
            if not name.endswith("bias"):
                dist.all_reduce(parameter.grad)
                parameter.grad /= 2
    if fault == "step_skipped" and rank == 1 and step == 40:
        continue
    optimizer.step()
    if fault == "local_sgd" and step % 5 == 4:
        for parameter in net.parameters():
            dist.all_reduce(parameter.data)
            parameter.data /= 2
# One write, not print()'s two: unbuffered, the lines of two ranks on one pipe would mix.
sys.stdout.write(f"{sum(p.double().sum() for p in net.parameters()).item():.12f}\n")
sys.stdout.flush()
dist.barrier()  # neither rank leaves while the other one needs it
dist.destroy_process_group()
