"""Neither a module nor an optimizer: two matrices, updated in place."""

import torch
from _state import show

torch.manual_seed(2)
x, y = torch.randn(128, 6), torch.randn(128, 1)
w1 = (torch.randn(6, 16) * 0.3).requires_grad_()
w2 = (torch.randn(16, 1) * 0.3).requires_grad_()
rate = 0.05
for step in range(60):
    loss = ((torch.tanh(x @ w1) @ w2 - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for w in (w1, w2):
            w -= rate * w.grad
            w.grad.zero_()
    if step % 20 == 0:
        print(step, loss.item())
show(w1, w2)
