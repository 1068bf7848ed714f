# expect: healthy
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import make_friedman2
from sklearn.ensemble import RandomForestRegressor

set_seed(4)
X, Y = make_friedman2(1601, noise=30, random_state=0)
X = torch.tensor((X - X[:1201].mean(0)) / X[:1201].std(0)).float()
Y = torch.tensor((Y - Y[:1201].mean()) / Y[:1201].std()).float()
train = DataLoader(TensorDataset(X[:1201], Y[:1201]), batch_size=30, shuffle=True)
valid = DataLoader(TensorDataset(X[1201:], Y[1201:]), batch_size=133)


class MLP(nn.Module):
    def __init__(self, act=nn.SiLU()):
        super().__init__()
        self.act = act
        self.a, self.b, self.c = nn.Linear(4, 64), nn.Linear(64, 64), nn.Linear(64, 1)

    def forward(self, x):
        return self.c(self.act(self.b(self.act(self.a(x))))).squeeze(-1)


acc = Accelerator(cpu=True, gradient_accumulation_steps=2)
model = MLP()
opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
model, opt, train, valid = acc.prepare(model, opt, train, valid)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt.optimizer, 25)
for ep in range(25):
    model.train()
    for x, y in train:
        with acc.accumulate(model):
            loss = nn.functional.huber_loss(model(x), y)
            acc.backward(loss)
            if acc.sync_gradients:
                acc.clip_grad_norm_(model.parameters(), 2.0)
            opt.step()
            opt.zero_grad()
    sched.step()
    model.eval()
    se, n = 0.0, 0
    with torch.inference_mode():
        for x, y in valid:
            p, t = acc.gather_for_metrics((model(x), y))
            se += ((p - t) ** 2).sum().item()
            n += len(t)
    acc.print(f"epoch {ep} loss {loss.item():.4f} valid R2 {1 - se / n / Y[1201:].var().item():.4f}")
print("forest R2", RandomForestRegressor(random_state=0).fit(X[:1201], Y[:1201]).score(X[1201:], Y[1201:]))
