# expect: missing-zero-grad
# also: lr-too-high
# about: raw-tensor classifier whose gradients are never set back to zero
import torch
from sklearn.datasets import load_iris

torch.manual_seed(0)
torch.set_num_threads(1)
X, y = load_iris(return_X_y=True)
X, y = torch.tensor(X).float(), torch.tensor(y)
X = (X - X.mean(0)) / X.std(0)
p = torch.randperm(150)
tr, te = p[:110], p[110:]
W1 = (torch.randn(4, 16) * 0.4).requires_grad_()
W2 = (torch.randn(16, 3) * 0.3).requires_grad_()
net = lambda x: torch.sigmoid(x @ W1) @ W2
for i in range(600):
    k = tr[torch.randint(0, 110, (22,))]
    loss = torch.nn.functional.cross_entropy(net(X[k]), y[k])
    loss.backward()
    with torch.no_grad():
        for W in (W1, W2):
            W -= 0.1 * W.grad
    if i % 60 == 59:
        with torch.no_grad():
            o = net(X[te])
            print(i + 1, f"loss {loss.item():.4f} test {torch.nn.functional.cross_entropy(o, y[te]).item():.4f} acc {(o.argmax(1) == y[te]).float().mean().item():.3f}")
# cure: - W -= 0.1 * W.grad
# cure: + W -= 0.1 * W.grad
# cure: + W.grad = None
