# expect: healthy
# about: Accelerate loop, small CNN on digits, OneCycle
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.set_num_threads(1)


def build():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(128, 10))


def main():
    set_seed(5)
    accelerator = Accelerator(cpu=True)
    d = load_digits()
    ds = TensorDataset(torch.tensor(d.images).float().unsqueeze(1) / 16 - 0.5, torch.tensor(d.target))
    train, val = random_split(ds, [1400, 397])
    train_dl, val_dl = DataLoader(train, batch_size=64, shuffle=True), DataLoader(val, batch_size=128)
    model = build()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    epochs = 8
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=5e-3, total_steps=epochs * len(train_dl))
    model, opt, train_dl, val_dl, sched = accelerator.prepare(model, opt, train_dl, val_dl, sched)
    for epoch in range(epochs):
        model.train()
        total = 0
        for x, y in train_dl:
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            opt.step()
            sched.step()
            opt.zero_grad()
            total += loss.item()
        model.eval()
        hits, vl = 0, 0.0
        for x, y in val_dl:
            with torch.no_grad():
                out = model(x)
            preds, refs = accelerator.gather_for_metrics((out.argmax(-1), y))
            hits += (preds == refs).sum().item()
            vl += nn.functional.cross_entropy(out, y, reduction="sum").item()
        accelerator.print(f"epoch {epoch} train {total / len(train_dl):.4f} val {vl / len(val):.4f} acc {hits / len(val):.4f}")


main()
