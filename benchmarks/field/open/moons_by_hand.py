# expect: symmetric-init
# about: raw-tensor network with every weight and bias at 0.1; hidden units never differ
import numpy as np
import torch
from sklearn.datasets import make_moons

torch.manual_seed(0)
torch.set_num_threads(1)
X, y = make_moons(1000, noise=0.15, random_state=0)
X, y = torch.tensor(X).float(), torch.tensor(y).float()


def new(*shape):
    return torch.full(shape, 0.1, requires_grad=True)


theta = {"W1": new(2, 24), "b1": new(24), "W2": new(24, 24), "b2": new(24), "W3": new(24, 1), "b3": new(1)}


def f(x):
    h = torch.tanh(x @ theta["W1"] + theta["b1"])
    h = torch.tanh(h @ theta["W2"] + theta["b2"])
    return (h @ theta["W3"] + theta["b3"])[:, 0]


opt = torch.optim.Adam(theta.values(), lr=5e-3)
for epoch in range(30):
    losses = []
    for i in torch.randperm(800).split(40):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(f(X[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    if epoch % 3 == 2:
        with torch.no_grad():
            acc = ((f(X[800:]) > 0) == (y[800:] > 0.5)).float().mean().item()
        print(f"epoch {epoch + 1} loss {np.mean(losses):.4f} acc {acc:.3f}")
# cure: - return torch.full(shape, 0.1, requires_grad=True)
# cure: + return (torch.randn(shape) * 0.3).requires_grad_()
