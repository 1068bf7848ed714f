# expect: loss-sign-flipped
import argparse
import logging
import torch
from torch import nn
from torch.nn import functional as F
from sklearn.datasets import load_digits

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("match")


def main(a):
    torch.manual_seed(a.seed)
    d = load_digits()
    x, y = torch.tensor(d.data).float() / 16, d.target
    y = torch.tensor(y)
    p = torch.randperm(len(x))
    # two views of one digit: the upper and the lower half
    up, lo = x[:, :32], x[:, 32:]
    tr, te = p[:1400], p[1400:]
    fu = nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 32))
    fl = nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 32))
    opt = torch.optim.Adam([*fu.parameters(), *fl.parameters()], lr=a.lr)

    def rank():
        with torch.no_grad():
            s = F.normalize(fu(up[te]), dim=1) @ F.normalize(fl(lo[te]), dim=1).t()
            return (s.argsort(1, descending=True) == torch.arange(len(te))[:, None]).float().argmax(1).float().median().item()

    log.info("median rank before: %.0f of %d", rank(), len(te))
    for ep in range(a.epochs):
        for b in tr[torch.randperm(len(tr))].split(a.batch):
            u, l = F.normalize(fu(up[b]), dim=1), F.normalize(fl(lo[b]), dim=1)
            s = u @ l.t() / a.tau
            loss = F.log_softmax(s, dim=1).diagonal().mean() + F.log_softmax(s, dim=0).diagonal().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
        if ep % 4 == 3:
            log.info("epoch %d loss %.4f median rank %.0f", ep, loss.item(), rank())


if __name__ == "__main__":
    q = argparse.ArgumentParser()
    q.add_argument("--epochs", type=int, default=40)
    q.add_argument("--batch", type=int, default=64)
    q.add_argument("--tau", type=float, default=0.2)
    q.add_argument("--lr", type=float, default=1e-3)
    q.add_argument("--seed", type=int, default=0)
    main(q.parse_args())
