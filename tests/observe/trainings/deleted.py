"""What a script deletes is gone at once, in whatever state the training is left, and wherever the variables are."""

import weakref

import torch
from _state import show
from torch import nn


def made(seed):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
    return model, torch.optim.Adam(model.parameters(), lr=1e-3)


def alive(refs):
    return sorted({type(thing).__name__ for ref in refs if (thing := ref()) is not None})


def left(seed, steps, state):
    model, optimizer = made(seed)
    refs = [weakref.ref(thing) for thing in (model, *model, *model.parameters())]
    latent, x = nn.Parameter(torch.randn(8, 6)), torch.randn(8, 6)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(torch.randn(8, 6) + latent), torch.randint(0, 3, (8,)))
        loss.backward()
        optimizer.step()
    if state == "forward":
        output = model(x)
        refs.append(weakref.ref(output))
        del output
    if state == "backward":
        loss = nn.functional.cross_entropy(model(x), torch.randint(0, 3, (8,)))
        loss.backward()
    if state == "evaluation":
        with torch.no_grad():
            model.eval()(x).argmax(1)
    refs += [weakref.ref(thing) for thing in (latent, loss)]
    kept = [p.detach().clone() for p in model.parameters()]
    del model, optimizer, loss, latent
    print(seed, steps, state, alive(refs))
    return kept


states = ("step", "forward", "backward", "evaluation")
show(*[p for seed, state in enumerate(states) for steps in (1, 3, 40, 1200) for p in left(seed, steps, state)])
