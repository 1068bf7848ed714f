"""A training of a given size: `training.py PARAMETERS LAYERS STEPS [ddp]`. Prints CPU seconds a step and peak bytes."""

from __future__ import annotations

import resource
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

BATCH = 8
WARM = 0.2  # of the steps come before the clock starts


def main(parameters: int, layers: int, steps: int, ddp: bool) -> None:
    torch.manual_seed(0)
    width = max(2, round((parameters / layers) ** 0.5))
    parts = [part for _ in range(layers) for part in (nn.Linear(width, width, bias=False), nn.LayerNorm(width))]
    model: nn.Module = nn.Sequential(*parts)
    if ddp:
        torch.distributed.init_process_group("gloo")
        model = nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x, y = torch.randn(BATCH, width), torch.randn(BATCH, width)
    began = time.process_time()
    for step in range(steps):
        if step == int(WARM * steps):
            began = time.process_time()
        loss = F.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    seconds = (time.process_time() - began) / (steps - int(WARM * steps))
    if ddp:
        rank = torch.distributed.get_rank()
        torch.distributed.destroy_process_group()
        if rank:
            return
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]), ddp="ddp" in sys.argv)
