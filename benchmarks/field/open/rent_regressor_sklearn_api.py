# expect: healthy
# about: sklearn-like estimator class wrapping a torch net for rents in euros, scalers and log target inside fit, validation split and patience
import copy

import numpy as np
import torch
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import r2_score
from sklearn.preprocessing import StandardScaler


class TorchRegressor(RegressorMixin, BaseEstimator):
    def __init__(self, hidden=(64, 32), lr=3e-3, batch=64, max_epochs=60, patience=8, random_state=0):
        self.hidden, self.lr, self.batch = hidden, lr, batch
        self.max_epochs, self.patience, self.random_state = max_epochs, patience, random_state

    def fit(self, X, y):
        torch.manual_seed(self.random_state)
        self.sx_ = StandardScaler().fit(X)
        t = np.log(y)
        self.mu_, self.sd_ = t.mean(), t.std()
        X = torch.tensor(self.sx_.transform(X), dtype=torch.float32)
        t = torch.tensor((t - self.mu_) / self.sd_, dtype=torch.float32)
        n_val = len(X) // 6
        perm = torch.randperm(len(X))
        va, tr = perm[:n_val], perm[n_val:]
        layers, d = [], X.shape[1]
        for h in self.hidden:
            layers += [torch.nn.Linear(d, h), torch.nn.ReLU()]
            d = h
        self.net_ = torch.nn.Sequential(*layers, torch.nn.Linear(d, 1))
        opt = torch.optim.Adam(self.net_.parameters(), lr=self.lr)
        plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.4, patience=3)
        best, wait = np.inf, 0
        for epoch in range(self.max_epochs):
            self.net_.train()
            train_loss = 0.0
            for b in tr[torch.randperm(len(tr))].split(self.batch):
                loss = torch.nn.functional.mse_loss(self.net_(X[b])[:, 0], t[b])
                opt.zero_grad()
                loss.backward()
                opt.step()
                train_loss += loss.item() * len(b) / len(tr)
            self.net_.eval()
            with torch.no_grad():
                val = torch.nn.functional.mse_loss(self.net_(X[va])[:, 0], t[va]).item()
            plateau.step(val)
            if epoch % 5 == 0:
                print(f"epoch {epoch} train {train_loss:.4f} valid {val:.4f}")
            if val < best - 1e-4:
                best, wait, state = val, 0, copy.deepcopy(self.net_.state_dict())
            else:
                wait += 1
                if wait >= self.patience:
                    print(f"stopping at epoch {epoch}, best {best:.4f}")
                    break
        self.net_.load_state_dict(state)
        return self

    def predict(self, X):
        with torch.no_grad():
            z = self.net_(torch.tensor(self.sx_.transform(X), dtype=torch.float32))[:, 0].numpy()
        return np.exp(z * self.sd_ + self.mu_)


torch.set_num_threads(1)
rng = np.random.default_rng(40)
n = 6000
size, rooms, km = rng.gamma(9, 9, n), rng.integers(1, 6, n), rng.exponential(5, n)
year, floor, balcony = rng.integers(1900, 2023, n), rng.integers(0, 7, n), rng.integers(0, 2, n)
log_rent = 4.6 + 0.75 * np.log(size) - 0.09 * np.minimum(km, 12) + 0.04 * balcony + 0.0025 * np.abs(year - 1955) + 0.015 * floor + rng.normal(0, 0.12, n)
X, y = np.stack([size, rooms, km, year, floor, balcony], 1).astype(float), np.exp(log_rent)
model = TorchRegressor().fit(X[:5000], y[:5000])
p = model.predict(X[5000:])
print(f"test R2 {r2_score(y[5000:], p):.4f}, median absolute error {np.median(np.abs(p - y[5000:])):.0f} EUR, RMSLE {np.sqrt(np.mean((np.log(p) - np.log(y[5000:])) ** 2)):.4f} (noise 0.12)")
