# expect: overfitting
import argparse
import torch
from torch import nn
from torch.nn import functional as F
from sklearn.datasets import make_classification


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--width", type=int, default=512)
    p.add_argument("--epochs", type=int, default=120)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--wd", type=float, default=0.0)
    p.add_argument("--drop", type=float, default=0.0)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


def evaluate(net, x, y):
    net.eval()
    with torch.no_grad():
        o = net(x)
        return F.cross_entropy(o, y).item(), (o.argmax(1) == y).float().mean().item()


def main():
    a = get_args()
    torch.manual_seed(a.seed)
    X, Y = make_classification(1100, 40, n_informative=6, n_redundant=0, n_classes=3, n_clusters_per_class=1, flip_y=0.25, class_sep=1.0, random_state=3)
    X, Y = torch.tensor(X).float(), torch.tensor(Y)
    xtr, ytr, xva, yva = X[:300], Y[:300], X[300:], Y[300:]
    net = nn.Sequential(nn.Linear(40, a.width), nn.ReLU(), nn.Dropout(a.drop), nn.Linear(a.width, a.width), nn.ReLU(), nn.Dropout(a.drop), nn.Linear(a.width, 3))
    opt = torch.optim.AdamW(net.parameters(), lr=a.lr, weight_decay=a.wd)
    for ep in range(a.epochs):
        net.train()
        for b in torch.randperm(300).split(32):
            loss = F.cross_entropy(net(xtr[b]), ytr[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
        if ep % 5 == 4:
            tl, ta = evaluate(net, xtr, ytr)
            vl, va = evaluate(net, xva, yva)
            print(f"ep {ep} train {tl:.4f}/{ta:.3f} val {vl:.4f}/{va:.3f}")


if __name__ == "__main__":
    main()
