# expect: lr-too-low
# about: research script whose default rate was copied from fine-tuning a large model
# also: undertrained
import argparse
import torch
from torch import nn
from sklearn.datasets import load_digits


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--lr", type=float, default=2e-6)
    p.add_argument("--epochs", type=int, default=15)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        out = model(x)
        return nn.functional.cross_entropy(out, y).item(), (out.argmax(1) == y).float().mean().item()


def main(args):
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    d = load_digits()
    x, y = torch.tensor(d.data).float() / 16, torch.tensor(d.target)
    p = torch.randperm(len(x))
    xt, yt, xv, yv = x[p[:1500]], y[p[:1500]], x[p[1500:]], y[p[1500:]]
    model = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 128), nn.GELU(), nn.Linear(128, 10))
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        model.train()
        for b in torch.randperm(len(xt)).split(args.batch_size):
            loss = nn.functional.cross_entropy(model(xt[b]), yt[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, round(loss.item(), 4), evaluate(model, xv, yv))


main(get_args())
# cure: - p.add_argument("--lr", type=float, default=2e-6)
# cure: + p.add_argument("--lr", type=float, default=1e-3)
