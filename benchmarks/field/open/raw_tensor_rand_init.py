# expect: dead-relus
# about: two hidden layers in raw tensors with a home-made uniform initialiser, pixel inputs
import numpy as np
import torch
from sklearn.datasets import load_digits

torch.manual_seed(12)
torch.set_num_threads(1)
d = load_digits()
X = torch.tensor(d.data / 16.0, dtype=torch.float32)
Y = torch.tensor(d.target)


def uniform(fan_in, fan_out):
    k = 1.0 / np.sqrt(fan_in)
    return ((torch.rand(fan_in, fan_out) - 1) * 2 * k).requires_grad_()


W1, b1 = uniform(64, 100), torch.zeros(100, requires_grad=True)
W2, b2 = uniform(100, 50), torch.zeros(50, requires_grad=True)
W3, b3 = uniform(50, 10), torch.zeros(10, requires_grad=True)
params = [W1, b1, W2, b2, W3, b3]


def forward(x):
    h1 = torch.clamp(x @ W1 + b1, min=0)
    h2 = torch.clamp(h1 @ W2 + b2, min=0)
    return h2 @ W3 + b3


lr = 0.1
for epoch in range(20):
    order = np.random.permutation(1500)
    for s in range(0, 1500, 50):
        i = order[s : s + 50]
        loss = torch.nn.functional.cross_entropy(forward(X[i]), Y[i])
        loss.backward()
        with torch.no_grad():
            for p in params:
                if p.grad is not None:
                    p -= lr * p.grad
                    p.grad.zero_()
    with torch.no_grad():
        acc = (forward(X[1500:]).argmax(1) == Y[1500:]).float().mean().item()
    if epoch % 2:
        print("epoch", epoch + 1, "loss", round(loss.item(), 4), "test acc", round(acc, 3))
# cure: - return ((torch.rand(fan_in, fan_out) - 1) * 2 * k).requires_grad_()
# cure: + return ((torch.rand(fan_in, fan_out) * 2 - 1) * k).requires_grad_()
