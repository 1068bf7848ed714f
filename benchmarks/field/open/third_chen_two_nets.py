# expect: healthy
import argparse
import copy
import torch
from torch import nn
from torch.nn import functional as F
from sklearn.datasets import load_digits


class AverageMeter:
    def __init__(self):
        self.sum = self.n = 0

    def update(self, v, n=1):
        self.sum += v * n
        self.n += n

    @property
    def avg(self):
        return self.sum / max(self.n, 1)


def convnet(width):
    return nn.Sequential(nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
                         nn.Conv2d(width, 2 * width, 3, stride=2, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(inplace=True),
                         nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(8 * width, 10))


def accuracy(model, x, y):
    was = model.training
    model.eval()
    with torch.no_grad():
        a = (model(x).argmax(1) == y).float().mean().item()
    model.train(was)
    return a


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=12)
    p.add_argument("--T", type=float, default=4.0)
    p.add_argument("--alpha", type=float, default=0.7)
    p.add_argument("--bs", type=int, default=64)
    p.add_argument("--seed", type=int, default=1)
    return p.parse_args()


def main():
    args = parse()
    torch.manual_seed(args.seed)
    d = load_digits()
    x = torch.tensor(d.images).float()[:, None] / 8 - 1
    y = torch.tensor(d.target)
    idx = torch.randperm(len(x))
    tr, te = idx[:1300], idx[1300:]
    teacher = convnet(24)
    opt = torch.optim.SGD(teacher.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=5e-4)
    for ep in range(8):
        m = AverageMeter()
        for b in tr[torch.randperm(len(tr))].split(args.bs):
            loss = F.cross_entropy(teacher(x[b]), y[b])
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            m.update(loss.item(), len(b))
        print(f"[teacher] {ep} loss {m.avg:.4f} test {accuracy(teacher, x[te], y[te]):.4f}")
    teacher.eval().requires_grad_(False)
    student = convnet(4)
    opt = torch.optim.SGD(student.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=5e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs)
    for ep in range(args.epochs):
        m = AverageMeter()
        student.train()
        for b in tr[torch.randperm(len(tr))].split(args.bs):
            with torch.no_grad():
                t = teacher(x[b])
            s = student(x[b])
            kd = F.kl_div(F.log_softmax(s / args.T, 1), F.softmax(t / args.T, 1), reduction="batchmean") * args.T ** 2
            loss = args.alpha * kd + (1 - args.alpha) * F.cross_entropy(s, y[b])
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            m.update(loss.item(), len(b))
        sched.step()
        print(f"[student] {ep} loss {m.avg:.4f} test {accuracy(student, x[te], y[te]):.4f}")


if __name__ == "__main__":
    main()
