# expect: clip-too-tight
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import load_digits

set_seed(0)
d = load_digits()
x, y = torch.tensor(d.images).float().unsqueeze(1) / 16, torch.tensor(d.target)
p = torch.randperm(len(x))
train = DataLoader(TensorDataset(x[p[:1300]], y[p[:1300]]), batch_size=32, shuffle=True)
valid = DataLoader(TensorDataset(x[p[1300:]], y[p[1300:]]), batch_size=100)
model = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(512, 10))
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
acc = Accelerator(cpu=True)
model, opt, train, valid = acc.prepare(model, opt, train, valid)
MAX_NORM = 0.005
for ep in range(12):
    model.train()
    tot = 0
    for xb, yb in train:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)
        acc.backward(loss)
        acc.clip_grad_norm_(model.parameters(), MAX_NORM)
        opt.step()
        tot += loss.item()
    model.eval()
    with torch.inference_mode():
        hit = sum((model(xb).argmax(1) == yb).sum().item() for xb, yb in valid)
    acc.print(f"epoch {ep}: loss {tot/len(train):.4f}, accuracy {hit/497:.4f}")
