# expect: double-softmax
# about: hand-written cross-entropy takes log-softmax of what the model's predict() already normalised
import torch
from sklearn.datasets import load_wine

torch.manual_seed(0)
torch.set_num_threads(1)
wine = load_wine()
X = torch.tensor(wine.data, dtype=torch.float32)
X = (X - X.mean(0)) / X.std(0)
y = torch.tensor(wine.target)
perm = torch.randperm(178)
tr, te = perm[:130], perm[130:]
W1 = torch.empty(13, 20).normal_(0, 0.3).requires_grad_()
b1 = torch.zeros(20, requires_grad=True)
W2 = torch.empty(20, 3).normal_(0, 0.3).requires_grad_()
b2 = torch.zeros(3, requires_grad=True)
weights = [W1, b1, W2, b2]


def predict(x):
    h = torch.relu(x @ W1 + b1)
    z = h @ W2 + b2
    e = torch.exp(z - z.max(1, keepdim=True).values)
    return e / e.sum(1, keepdim=True)


def cross_entropy(scores, labels):
    logp = scores - scores.exp().sum(1, keepdim=True).log()
    return -logp[range(len(labels)), labels].mean()


for epoch in range(40):
    for b in tr[torch.randperm(len(tr))].split(26):
        loss = cross_entropy(predict(X[b]), y[b])
        loss.backward()
        with torch.no_grad():
            for w in weights:
                w -= 0.01 * w.grad
                w.grad.zero_()
    if epoch % 4 == 3:
        with torch.no_grad():
            p = predict(X[te])
            print(f"epoch {epoch + 1} loss {cross_entropy(predict(X[tr]), y[tr]).item():.4f} mean prob of the right class {p[range(len(te)), y[te]].mean().item():.3f} acc {(p.argmax(1) == y[te]).float().mean().item():.3f}")
# cure: - logp = scores - scores.exp().sum(1, keepdim=True).log()
# cure: + logp = scores.log()
