"""Neither a module nor an optimizer: every update makes new tensors."""

import torch
from _state import show

torch.manual_seed(3)
x, y = torch.randn(128, 6), torch.randn(128, 1)
weights = [(torch.randn(6, 16) * 0.3).requires_grad_(), (torch.randn(16, 1) * 0.3).requires_grad_()]
for step in range(60):
    loss = ((torch.relu(x @ weights[0]) @ weights[1] - y) ** 2).mean()
    loss.backward()
    weights = [(w - 0.05 * w.grad).detach().requires_grad_() for w in weights]
    if step % 20 == 0:
        print(step, float(loss))
show(*weights)
