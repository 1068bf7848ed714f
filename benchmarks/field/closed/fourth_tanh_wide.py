# expect: init-too-large
# also: saturated-activations
import argparse
import torch
import torch.nn as nn
from sklearn.datasets import load_digits


def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.normal_(m.weight)
        nn.init.zeros_(m.bias)


def build(width, depth):
    mods, i = [], 64
    for _ in range(depth):
        mods += [nn.Linear(i, width), nn.Tanh()]
        i = width
    mods.append(nn.Linear(i, 10))
    net = nn.Sequential(*mods)
    net.apply(init_weights)
    return net


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--width", type=int, default=200)
    ap.add_argument("--depth", type=int, default=4)
    ap.add_argument("--lr", type=float, default=0.02)
    ap.add_argument("--epochs", type=int, default=20)
    ap.add_argument("--bs", type=int, default=50)
    args = ap.parse_args()
    print(vars(args))

    torch.manual_seed(0)
    d = load_digits()
    x = torch.tensor((d.data - d.data.mean()) / d.data.std(), dtype=torch.float32)
    y = torch.tensor(d.target)
    idx = torch.randperm(len(y))
    tr, te = idx[:1300], idx[1300:]
    net = build(args.width, args.depth)
    opt = torch.optim.SGD(net.parameters(), lr=args.lr, momentum=0.9)
    for epoch in range(args.epochs):
        tot = 0.0
        for k in tr[torch.randperm(len(tr))].split(args.bs):
            loss = nn.functional.cross_entropy(net(x[k]), y[k])
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item() * len(k)
        with torch.no_grad():
            a = (net(x[te]).argmax(1) == y[te]).float().mean().item()
        print(f"{epoch:3d} {tot / len(tr):9.4f} {a:.4f}")


if __name__ == "__main__":
    main()
