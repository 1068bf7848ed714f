# expect: healthy
# about: autoencoder with tied weights written with functional calls, used for anomaly detection
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.metrics import roc_auc_score

torch.set_num_threads(1)
torch.manual_seed(31)
d = load_digits()
X = torch.tensor(d.data / 16.0, dtype=torch.float32)
normal = X[d.target != 1]
odd = torch.rand(200, 64) * (torch.rand(200, 64) < 0.45)
cut = 1400
train, held = normal[:cut], normal[cut:]
mean = train.mean(0)

W1 = torch.nn.Parameter(torch.empty(64, 64))
W2 = torch.nn.Parameter(torch.empty(12, 64))
torch.nn.init.xavier_uniform_(W1)
torch.nn.init.xavier_uniform_(W2)
b1, b2, b3, b4 = (torch.nn.Parameter(torch.zeros(n)) for n in (64, 12, 64, 64))


def reconstruct(x):
    h = F.leaky_relu(F.linear(x - mean, W1, b1), 0.1)
    z = F.linear(h, W2, b2)
    h = F.leaky_relu(F.linear(z, W2.t(), b3), 0.1)
    return F.linear(h, W1.t(), b4) + mean


opt = torch.optim.Adam([W1, W2, b1, b2, b3, b4], lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 1000)
step = 0
while step < 1000:
    for idx in torch.randperm(cut).split(70):
        loss = F.mse_loss(reconstruct(train[idx]), train[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        step += 1
        if step % 100 == 0:
            with torch.no_grad():
                print("step", step, "train mse %.5f" % loss.item(), "held-out mse %.5f" % F.mse_loss(reconstruct(held), held).item())
with torch.no_grad():
    err = torch.cat([((reconstruct(a) - a) ** 2).mean(1) for a in (held, odd)])
print("AUC noise vs digits", roc_auc_score([0] * len(held) + [1] * 200, err.numpy()))
p = PCA(12).fit(train.numpy())
print("PCA-12 held-out mse", ((p.inverse_transform(p.transform(held.numpy())) - held.numpy()) ** 2).mean())
