# expect: train-val-mismatch
import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset


class DigitImages(Dataset):
    def __init__(self, images, targets, transform=None):
        self.images, self.targets, self.transform = images, targets, transform

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, i):
        img = torch.tensor(self.images[i], dtype=torch.float32).unsqueeze(0)
        if self.transform:
            img = self.transform(img)
        return img, int(self.targets[i])


class Normalize:
    def __init__(self, mean, std):
        self.mean, self.std = mean, std

    def __call__(self, x):
        return (x / 16 - self.mean) / self.std


class Scale:
    def __call__(self, x):
        return x / 255


def main():
    set_seed(33)
    acc = Accelerator(cpu=True)
    d = load_digits()
    train_tf = Normalize(0.305, 0.376)
    eval_tf = Scale()
    tl = DataLoader(DigitImages(d.images[:1400], d.target[:1400], train_tf), 32, shuffle=True)
    vl = DataLoader(DigitImages(d.images[1400:], d.target[1400:], eval_tf), 128)
    model = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1),
                          nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128, 10))
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
    model, opt, tl, vl = acc.prepare(model, opt, tl, vl)
    for epoch in range(8):
        model.train()
        total = 0
        for x, y in tl:
            loss = F.cross_entropy(model(x), y)
            acc.backward(loss)
            opt.step()
            opt.zero_grad()
            total += loss.item()
        model.eval()
        hit = n = 0
        with torch.no_grad():
            for x, y in vl:
                out, y = acc.gather_for_metrics((model(x), y))
                hit += (out.argmax(1) == y).sum().item()
                n += len(y)
        acc.print(f"epoch {epoch} train_loss {total / len(tl):.4f} eval_acc {hit / n:.4f}")


main()
