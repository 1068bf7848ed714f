# expect: healthy
import copy
import torch
import torch.nn as nn
from torch.utils.data import TensorDataset, DataLoader
from sklearn.datasets import make_friedman1
from sklearn.ensemble import GradientBoostingRegressor


class Shadow:
    def __init__(self, model, decay=0.995):
        self.model = copy.deepcopy(model)
        for p in self.model.parameters():
            p.requires_grad_(False)
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for a, b in zip(self.model.parameters(), model.parameters()):
            a.lerp_(b, 1 - self.decay)
        for a, b in zip(self.model.buffers(), model.buffers()):
            a.copy_(b)


class Trainer:
    def __init__(self, model, train_loader, val_loader, lr, epochs):
        self.model = model
        self.train_loader = train_loader
        self.val_loader = val_loader
        self.epochs = epochs
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-3)
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, self._lr)
        self.loss_fn = nn.SmoothL1Loss()
        self.shadow = Shadow(model)
        self.step = 0

    def _lr(self, i):
        total = self.epochs * len(self.train_loader)
        if i < 50:
            return (i + 1) / 50
        return max(0.02, 1 - (i - 50) / (total - 50))

    def fit(self):
        for epoch in range(self.epochs):
            tl = self._train_epoch()
            vl = self._validate(self.shadow.model)
            print(f"epoch={epoch} train={tl:.4f} val_mse_ema={vl:.4f}")
        return vl

    def _train_epoch(self):
        self.model.train()
        s = 0.0
        for xb, yb in self.train_loader:
            self.optimizer.zero_grad()
            loss = self.loss_fn(self.model(xb).squeeze(-1), yb)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
            self.optimizer.step()
            self.scheduler.step()
            self.shadow.update(self.model)
            s += loss.item()
        return s / len(self.train_loader)

    def _validate(self, m):
        m.eval()
        with torch.inference_mode():
            se = [((m(x).squeeze(-1) - y) ** 2) for x, y in self.val_loader]
        return torch.cat(se).mean().item()


if __name__ == "__main__":
    torch.manual_seed(11)
    X, Y = make_friedman1(2400, n_features=10, noise=1.0, random_state=0)
    X = torch.tensor(X).float() * 2 - 1
    mu, sd = Y[:1800].mean(), Y[:1800].std()
    Yt = torch.tensor((Y - mu) / sd).float()
    tr = DataLoader(TensorDataset(X[:1800], Yt[:1800]), batch_size=48, shuffle=True)
    va = DataLoader(TensorDataset(X[1800:], Yt[1800:]), batch_size=256)
    model = nn.Sequential(nn.Linear(10, 64), nn.SiLU(), nn.LayerNorm(64), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))
    v = Trainer(model, tr, va, 3e-3, 30).fit()
    g = GradientBoostingRegressor(random_state=0).fit(X[:1800], Yt[:1800])
    print("ema val mse", v, "gbr val mse", float(((g.predict(X[1800:]) - Yt[1800:].numpy()) ** 2).mean()))
