# expect: healthy
# multinomial logistic regression, full batch, LBFGS
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

torch.manual_seed(0)
X, y = load_digits(return_X_y=True)
Xtr, Xte, ytr, yte = train_test_split(X / 16.0, y, test_size=0.3, random_state=0)
Xt, Xe = torch.tensor(Xtr), torch.tensor(Xte)
yt, ye = torch.tensor(ytr), torch.tensor(yte)

W = torch.zeros(64, 10, dtype=torch.double, requires_grad=True)
b = torch.zeros(10, dtype=torch.double, requires_grad=True)
opt = torch.optim.LBFGS([W, b], lr=0.5, max_iter=10, history_size=10, line_search_fn="strong_wolfe")
lam = 1.0


def closure():
    opt.zero_grad()
    loss = F.cross_entropy(Xt @ W + b, yt, reduction="sum") + 0.5 * lam * (W ** 2).sum()
    loss.backward()
    return loss


for it in range(30):
    loss = opt.step(closure)
    with torch.no_grad():
        acc = ((Xe @ W + b).argmax(1) == ye).double().mean().item()
    if it % 5 == 0:
        print(f"iter {it:2d} objective {loss.item():.6f} test acc {acc:.4f}")

ref = LogisticRegression(C=1.0, max_iter=5000, tol=1e-8).fit(Xtr, ytr)
rw, rb = torch.tensor(ref.coef_.T), torch.tensor(ref.intercept_)
obj = F.cross_entropy(Xt @ rw + rb, yt, reduction="sum") + 0.5 * (rw ** 2).sum()
print(f"sklearn objective {obj.item():.6f}, test acc {ref.score(Xte, yte):.4f}")
