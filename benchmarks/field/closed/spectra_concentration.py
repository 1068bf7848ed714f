# expect: batchnorm-tiny-batch
# about: fully connected spectra regressor with batch norm, memory forces batches of two; validation is far off the training loss
import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(22)
n = 500
amp = torch.rand(n, 3) * 2
grid = torch.linspace(0, 1, 48)
peaks = torch.exp(-((grid[None] - torch.tensor([0.2, 0.5, 0.8])[:, None]) ** 2) / 0.004)
spectra = amp @ peaks + 0.05 * torch.randn(n, 48)
conc = (amp[:, 0] - amp[:, 1] * amp[:, 2]).unsqueeze(1)
conc = (conc - conc.mean()) / conc.std()
xt, yt, xv, yv = spectra[:400], conc[:400], spectra[400:], conc[400:]
BATCH_SIZE = 2


class SpectraNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(48, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x)


model = SpectraNet()
optim = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_fn = nn.MSELoss()
for epoch in range(16):
    model.train()
    tr = []
    for idx in torch.randperm(400).split(BATCH_SIZE):
        loss = loss_fn(model(xt[idx]), yt[idx])
        optim.zero_grad()
        loss.backward()
        optim.step()
        tr.append(loss.item())
    model.eval()
    with torch.no_grad():
        v, t = loss_fn(model(xv), yv).item(), loss_fn(model(xt), yt).item()
    if epoch % 3 == 0:
        print(f"epoch {epoch:2d} train(batch stats) {sum(tr) / len(tr):.4f} train(running stats) {t:.4f} val {v:.4f}")
# cure: - BATCH_SIZE = 2
# cure: + BATCH_SIZE = 20
