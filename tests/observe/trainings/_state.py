"""What every training prints at its end: digests of its tensors and of the random streams."""

import hashlib
import random
import sys

import numpy as np
import torch


def show(*tensors: torch.Tensor) -> None:
    weights = hashlib.sha256()
    for tensor in tensors:
        weights.update(tensor.detach().to(torch.float64).numpy().tobytes())
    streams = hashlib.sha256()
    streams.update(torch.get_rng_state().numpy().tobytes())
    streams.update(repr(random.getstate()).encode())
    streams.update(repr(np.random.get_state(legacy=False)["state"]["key"].tolist()).encode())
    print("weights", weights.hexdigest())
    print("streams", streams.hexdigest())
    print("argv", sys.argv[1:])
