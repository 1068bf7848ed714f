# expect: healthy
# about: softmax regression on iris by hand-written full-batch gradient descent with rate 0.5; the tail only idles
import torch
from sklearn.datasets import load_iris

torch.set_num_threads(1)
torch.manual_seed(0)
data = load_iris()
X = torch.tensor(data.data, dtype=torch.float32)
X = (X - X.mean(0)) / X.std(0)
y = torch.tensor(data.target)
order = torch.randperm(len(X))
train, test = order[:110], order[110:]

W = torch.zeros(4, 3, requires_grad=True)
b = torch.zeros(3, requires_grad=True)
lam = 5e-3

for it in range(4000):
    logits = X[train] @ W + b
    loss = torch.nn.functional.cross_entropy(logits, y[train]) + lam * W.pow(2).sum()
    gw, gb = torch.autograd.grad(loss, [W, b])
    with torch.no_grad():
        W -= 0.5 * gw
        b -= 0.5 * gb
    if it % 500 == 0:
        print("iter %4d  cost %.5f  |grad| %.2e" % (it, loss.item(), gw.norm().item()))

with torch.no_grad():
    for name, idx in (("train", train), ("test", test)):
        acc = ((X[idx] @ W + b).argmax(1) == y[idx]).float().mean().item()
        print(f"{name} accuracy {acc:.3f}")
