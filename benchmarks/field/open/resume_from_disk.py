# expect: healthy
# about: run interrupted half way: checkpoint with model, optimizer, scheduler and epoch written to disk, new objects resume from it
import os
import tempfile

import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.set_num_threads(1)
EPOCHS = 16


def get_data():
    d = load_digits()
    x = torch.tensor(d.images, dtype=torch.float32).unsqueeze(1) / 8 - 1
    y = torch.tensor(d.target)
    a, b = train_test_split(range(len(x)), test_size=0.25, random_state=0, stratify=d.target)
    return x[a], y[a], x[b], y[b]


def get_all():
    net = nn.Sequential(
        nn.Conv2d(1, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(),
        nn.Conv2d(24, 48, 3, stride=2, padding=1), nn.BatchNorm2d(48), nn.ReLU(),
        nn.Flatten(), nn.Dropout(0.3), nn.Linear(48 * 16, 10))
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=5e-4)
    sch = torch.optim.lr_scheduler.MultiStepLR(opt, milestones=[9, 13], gamma=0.2)
    return net, opt, sch


def train(ckpt, stop_after):
    x, y, xv, yv = get_data()
    net, opt, sch = get_all()
    start = 0
    if os.path.exists(ckpt):
        state = torch.load(ckpt)
        net.load_state_dict(state["net"])
        opt.load_state_dict(state["opt"])
        sch.load_state_dict(state["sch"])
        start = state["epoch"] + 1
        print("=> resumed at epoch", start)
    for epoch in range(start, EPOCHS):
        if epoch == stop_after:
            print("=> job time limit, leaving")
            return None
        net.train()
        total = 0.0
        for b in torch.randperm(len(x)).split(48):
            loss = nn.functional.cross_entropy(net(x[b]), y[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(b)
        sch.step()
        net.eval()
        with torch.no_grad():
            acc = (net(xv).argmax(1) == yv).float().mean().item()
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "sch": sch.state_dict(), "epoch": epoch}, ckpt)
        print(f"epoch {epoch} lr {sch.get_last_lr()[0]:.4f} loss {total / len(x):.4f} val acc {acc:.4f}")
    return acc


if __name__ == "__main__":
    torch.manual_seed(5)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "last.pt")
        train(path, stop_after=7)
        print("final accuracy", train(path, stop_after=None))
