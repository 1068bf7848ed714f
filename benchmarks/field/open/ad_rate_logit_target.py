# expect: nonfinite-data
# about: click-rate per advert regressed on the logit scale from small impression counts
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(47)
torch.set_num_threads(1)
rng = np.random.default_rng(47)


class Adverts(Dataset):
    def __init__(self, n):
        self.f = rng.normal(size=(n, 8)).astype(np.float32)
        p = 1 / (1 + np.exp(-(self.f[:, 0] + 0.8 * self.f[:, 1] * self.f[:, 2])))
        shown = rng.integers(30, 200, n)
        self.rate = rng.binomial(shown, p) / shown

    def __len__(self):
        return len(self.rate)

    def __getitem__(self, i):
        r = self.rate[i]
        with np.errstate(divide="ignore"):
            return self.f[i], np.float32(np.log(r / (1 - r)))


train, valid = Adverts(3000), Adverts(600)
valid.rate = valid.rate.clip(0.005, 0.995)
net = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.GELU(), torch.nn.Linear(64, 32), torch.nn.GELU(), torch.nn.Linear(32, 1))
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
for epoch in range(8):
    seen = 0.0
    for k, (f, t) in enumerate(DataLoader(train, batch_size=32, shuffle=True), 1):
        loss = torch.nn.functional.mse_loss(net(f).squeeze(1), t)
        opt.zero_grad()
        loss.backward()
        opt.step()
        seen += loss.item()
    fv, tv = next(iter(DataLoader(valid, batch_size=600)))
    with torch.no_grad():
        v = torch.nn.functional.mse_loss(net(fv).squeeze(1), tv).item()
    print(f"epoch {epoch + 1} train {seen / k:.4f} valid {v:.4f} (variance {tv.var().item():.3f})")
# cure: - r = self.rate[i]
# cure: + r = np.clip(self.rate[i], 0.005, 0.995)
