# expect: lr-too-high
# about: softmax regression of sepal sizes on raw tensors, hand-written update, step of 40
import torch
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

torch.set_num_threads(1)
X, y = load_iris(return_X_y=True)
X = X[:, :2]
X = (X - X.mean(0)) / X.std(0)
Xtr, Xte, ytr, yte = train_test_split(X, y, test_size=0.3, random_state=1, stratify=y)
Xtr, Xte = torch.tensor(Xtr).float(), torch.tensor(Xte).float()
ytr, yte = torch.tensor(ytr), torch.tensor(yte)
W = torch.zeros(2, 3, requires_grad=True)
b = torch.zeros(3, requires_grad=True)
alpha = 40.0


def nll(x, t):
    logits = x @ W + b
    return (torch.logsumexp(logits, 1) - logits[torch.arange(len(t)), t]).mean()


history = []
for i in range(400):
    idx = torch.randperm(len(Xtr))[:16]
    loss = nll(Xtr[idx], ytr[idx])
    gW, gb = torch.autograd.grad(loss, [W, b])
    with torch.no_grad():
        W -= alpha * gW
        b -= alpha * gb
    history.append(loss.item())
    if (i + 1) % 40 == 0:
        with torch.no_grad():
            print(f"iter {i + 1:4d}  mean loss {sum(history[-40:]) / 40:.4f}  test loss {nll(Xte, yte).item():.4f}  test acc {((Xte @ W + b).argmax(1) == yte).float().mean().item():.3f}")
# cure: - alpha = 40.0
# cure: + alpha = 0.3
