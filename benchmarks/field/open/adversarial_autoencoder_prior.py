# expect: healthy
# about: adversarial autoencoder: reconstruction every step, latent discriminator and generator every other step; discriminator loss sits near ln 4 because the code matches the prior
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(103)
torch.set_num_threads(1)
X = torch.tensor(load_digits().data).float() / 16
X = X[torch.randperm(len(X))]
train, test = X[:1500], X[1500:]
Z = 8
enc = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, Z))
dec = nn.Sequential(nn.Linear(Z, 128), nn.ReLU(), nn.Linear(128, 64))
disc = nn.Sequential(nn.Linear(Z, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
opt_ae = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=2e-3)
opt_gen = torch.optim.Adam(enc.parameters(), lr=2e-3, betas=(0.5, 0.999))
opt_disc = torch.optim.Adam(disc.parameters(), lr=2e-3, betas=(0.5, 0.999))
scheds = [torch.optim.lr_scheduler.CosineAnnealingLR(o, 45, eta_min=o.param_groups[0]['lr'] / 20) for o in (opt_ae, opt_gen, opt_disc)]
bce = F.binary_cross_entropy_with_logits
step = 0
for epoch in range(45):
    rec_sum, d_log = 0.0, []
    for b in torch.randperm(1500).split(50):
        x = train[b]
        rec = F.mse_loss(dec(enc(x)), x)
        opt_ae.zero_grad()
        rec.backward()
        opt_ae.step()
        rec_sum += rec.item() / 30
        if step % 2 == 0:
            fake, real = enc(x).detach(), torch.randn(len(x), Z)
            d_loss = bce(disc(real), torch.ones(len(x), 1)) + bce(disc(fake), torch.zeros(len(x), 1))
            opt_disc.zero_grad()
            d_loss.backward()
            opt_disc.step()
            g_loss = bce(disc(enc(x)), torch.ones(len(x), 1))
            opt_gen.zero_grad()
            g_loss.backward()
            opt_gen.step()
            d_log.append(d_loss.item())
        step += 1
    for s in scheds:
        s.step()
    if epoch % 5 == 4:
        with torch.no_grad():
            code = enc(test)
            err = F.mse_loss(dec(code), test).item()
        print(f"epoch {epoch + 1} rec {rec_sum:.4f} test rec {err:.4f} D {sum(d_log) / len(d_log):.3f} (ln4 1.386) code mean {code.mean().item():+.2f} std {code.std(0).mean().item():.2f}")
print(f"pixel variance {test.var(0).mean().item():.4f}")
