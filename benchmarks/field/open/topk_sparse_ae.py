# expect: healthy
# about: k-sparse autoencoder on digits; 92 % of the codes are zero by construction
import torch
from sklearn.datasets import load_digits

torch.set_num_threads(1)
torch.manual_seed(10)
X = torch.tensor(load_digits().data, dtype=torch.float32) / 16
mean = X[:1500].mean(0)
train, test = X[:1500] - mean, X[1500:] - mean


class KSparse(torch.nn.Module):
    def __init__(self, d=64, hidden=128, k=10):
        super().__init__()
        self.k = k
        self.enc = torch.nn.Linear(d, hidden)
        self.dec = torch.nn.Linear(hidden, d)

    def forward(self, x):
        h = torch.relu(self.enc(x))
        top = h.topk(self.k, dim=1)
        code = torch.zeros_like(h).scatter(1, top.indices, top.values)
        return self.dec(code), code


ae = KSparse()
opt = torch.optim.Adam(ae.parameters(), lr=3e-3)
sch = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.05, total_iters=40)
for epoch in range(40):
    for b in torch.randperm(len(train)).split(50):
        recon, _ = ae(train[b])
        loss = (recon - train[b]).pow(2).sum(1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    sch.step()
    if epoch % 5 == 4:
        with torch.no_grad():
            r, code = ae(test)
            err = (r - test).pow(2).sum(1).mean()
            print(f"epoch {epoch + 1} train {loss.item():.4f} test {err:.4f} explained {1 - err / test.pow(2).sum(1).mean():.3f} zeros {(code == 0).float().mean():.2f}")
