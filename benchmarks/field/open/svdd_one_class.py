# expect: healthy
# about: one-class Deep SVDD without biases: trained on normal machines only, loss shrinks hundreds of times, scores separate faults at test time although test loss is far above training loss
import numpy as np
import torch
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from torch import nn

torch.set_num_threads(1)
rng = np.random.default_rng(53)
torch.manual_seed(53)
T = 64


def spectra(n, fault):
    t = np.arange(256) / 256
    rpm = rng.uniform(7, 11, (n, 1))
    s = np.sin(2 * np.pi * rpm * t + rng.uniform(0, 6, (n, 1))) + 0.4 * np.sin(2 * np.pi * 3 * rpm * t + rng.uniform(0, 6, (n, 1)))
    if fault:
        s = s + rng.uniform(0.15, 0.5, (n, 1)) * np.sin(2 * np.pi * 4.7 * rpm * t + rng.uniform(0, 6, (n, 1)))
    s = s + 0.3 * rng.standard_normal((n, 256))
    return np.log(np.abs(np.fft.rfft(s * np.hanning(256)))[:, :T] + 0.3)


normal = spectra(2400, False)
test = np.vstack([spectra(400, False), spectra(400, True)])
flag = np.r_[np.zeros(400), np.ones(400)]
mu, sd = normal.mean(0), normal.std(0)
X, Q = (torch.tensor((a - mu) / sd, dtype=torch.float32) for a in (normal, test))
enc = nn.Sequential(nn.Linear(T, 96, bias=False), nn.LeakyReLU(0.1), nn.Linear(96, 48, bias=False), nn.LeakyReLU(0.1), nn.Linear(48, 24, bias=False))
dec = nn.Sequential(nn.Linear(24, 96), nn.LeakyReLU(0.1), nn.Linear(96, T))

pre = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=2e-3)
for ep in range(12):
    for b in torch.randperm(2400).split(80):
        loss = nn.functional.mse_loss(dec(enc(X[b])), X[b])
        pre.zero_grad()
        loss.backward()
        pre.step()
print(f"autoencoder mse {loss.item():.4f}")
with torch.no_grad():
    c = enc(X).mean(0)
    c[(c.abs() < 0.1)] = 0.1
opt = torch.optim.Adam(enc.parameters(), lr=1.5e-3, weight_decay=1e-5)
sched = torch.optim.lr_scheduler.MultiStepLR(opt, [14], 0.1)
for ep in range(18):
    run = 0.0
    for b in torch.randperm(2400).split(80):
        loss = (enc(X[b]) - c).pow(2).sum(1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        run += loss.item() / 30
    sched.step()
    with torch.no_grad():
        score = (enc(Q) - c).pow(2).sum(1)
    print(f"epoch {ep} loss {run:.5f} normal test {score[:400].mean():.5f} faulty test {score[400:].mean():.5f} AUC {roc_auc_score(flag, score):.4f}")
iso = IsolationForest(random_state=0).fit(X.numpy())
print(f"isolation forest AUC {roc_auc_score(flag, -iso.score_samples(Q.numpy())):.4f}")
