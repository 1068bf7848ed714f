# expect: healthy
# about: gradient accumulation done right (loss divided by the number of micro-batches), leftover flushed
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset, random_split


class Config:
    micro_batch = 8
    accumulation_steps = 4
    epochs = 10
    lr = 0.1


torch.manual_seed(77)
torch.set_num_threads(1)
d = load_digits()
full = TensorDataset(torch.tensor(d.data).float() / 16 - 0.3, torch.tensor(d.target))
train_set, val_set = random_split(full, [1437, 360])
train_loader = DataLoader(train_set, Config.micro_batch, shuffle=True)
val_loader = DataLoader(val_set, 180)
model = nn.Sequential(nn.Linear(64, 100), nn.Tanh(), nn.Linear(100, 10))
opt = torch.optim.SGD(model.parameters(), lr=Config.lr, momentum=0.9)
for epoch in range(Config.epochs):
    model.train()
    opt.zero_grad()
    total = 0.0
    for step, (x, y) in enumerate(train_loader, 1):
        loss = nn.functional.cross_entropy(model(x), y)
        (loss / Config.accumulation_steps).backward()
        total += loss.item()
        if step % Config.accumulation_steps == 0 or step == len(train_loader):
            opt.step()
            opt.zero_grad()
    model.eval()
    with torch.no_grad():
        stats = [(nn.functional.cross_entropy(model(x), y).item(), (model(x).argmax(1) == y).float().mean().item()) for x, y in val_loader]
    print(epoch, "train", round(total / len(train_loader), 4), "val", [round(sum(s) / len(stats), 4) for s in zip(*stats)])
