# expect: init-too-large
import argparse
import logging
import torch
from torch import nn
from torch.nn import functional as F
from sklearn.datasets import load_digits

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("mlp")


def init(m, std):
    if isinstance(m, nn.Linear):
        nn.init.normal_(m.weight, mean=0.0, std=std)
        nn.init.zeros_(m.bias)


def main(a):
    torch.manual_seed(a.seed)
    d = load_digits()
    x, y = torch.tensor(d.data).float(), torch.tensor(d.target)
    x = (x - x.mean()) / x.std()
    p = torch.randperm(len(x))
    tr, te = p[:1300], p[1300:]
    net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))
    net.apply(lambda m: init(m, a.init_std))
    opt = torch.optim.Adam(net.parameters(), lr=a.lr)
    for ep in range(a.epochs):
        tot = 0.0
        for b in tr[torch.randperm(len(tr))].split(a.batch):
            loss = F.cross_entropy(net(x[b]), y[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item() * len(b)
        with torch.no_grad():
            o = net(x[te])
            log.info("epoch %d train loss %.4f test loss %.4f test acc %.4f", ep, tot / len(tr), F.cross_entropy(o, y[te]).item(), (o.argmax(1) == y[te]).float().mean().item())


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--init-std", type=float, default=1.0)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--batch", type=int, default=32)
    ap.add_argument("--epochs", type=int, default=12)
    ap.add_argument("--seed", type=int, default=0)
    main(ap.parse_args())
