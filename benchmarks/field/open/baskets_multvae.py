# expect: healthy
# about: variational autoencoder for collaborative filtering, multinomial likelihood summed over the catalogue (loss in the hundreds), 50 % input dropout, KL weight annealed to 0.2
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(1)
rng = np.random.default_rng(33)
torch.manual_seed(33)
USERS, ITEMS, TASTES = 2400, 400, 12
item_taste = rng.dirichlet(np.full(ITEMS, 0.06), TASTES)
mix = rng.dirichlet(np.full(TASTES, 0.15), USERS)
pop = 1 / (5 + rng.permutation(ITEMS))
pop /= pop.sum()
P = 0.8 * mix @ item_taste + 0.2 * pop
seen = np.zeros((USERS, ITEMS), np.float32)
for u in range(USERS):
    seen[u, rng.choice(ITEMS, int(rng.integers(20, 50)), p=P[u])] = 1
R = torch.tensor(seen)
train, test = R[:2000], R[2000:]
fold_in, held = test.clone(), torch.zeros_like(test)
for u in range(len(test)):
    items = test[u].nonzero().flatten()
    hide = items[torch.randperm(len(items))[: len(items) // 4]]
    fold_in[u, hide], held[u, hide] = 0, 1


class MultVAE(nn.Module):
    def __init__(self, hid=128, lat=32):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(ITEMS, hid), nn.Tanh(), nn.Linear(hid, 2 * lat))
        self.dec = nn.Sequential(nn.Linear(lat, hid), nn.Tanh(), nn.Linear(hid, ITEMS))

    def forward(self, x):
        h = F.dropout(F.normalize(x, dim=1), 0.5, self.training)
        mu, logvar = self.enc(h).chunk(2, 1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp() if self.training else mu
        kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
        return self.dec(z).log_softmax(1), kl


def ndcg(scores, k=20):
    scores = scores.masked_fill(fold_in > 0, -1e9)
    top = scores.topk(k).indices
    disc = 1 / torch.log2(torch.arange(k) + 2.0)
    gain = (held.gather(1, top) * disc).sum(1)
    ideal = torch.stack([disc[: min(k, int(n))].sum() for n in held.sum(1)])
    return (gain / ideal).mean().item()


net = MultVAE()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
step, best = 0, 0.0
for epoch in range(40):
    net.train()
    neg = 0.0
    for b in torch.randperm(2000).split(100):
        beta = min(0.2, 0.2 * step / 400)
        logp, kl = net(train[b])
        loss = -(logp * train[b]).sum(1).mean() + beta * kl
        opt.zero_grad()
        loss.backward()
        opt.step()
        step += 1
        neg += loss.item() / 20
    if epoch == 25:
        opt.param_groups[0]["lr"] = 5e-4
    if epoch % 5 == 4:
        net.eval()
        with torch.no_grad():
            print(f"epoch {epoch + 1} objective {neg:.2f} kl {kl.item():.2f} NDCG@20 {ndcg(net(fold_in)[0]):.4f}")
true = torch.tensor(np.log(P[2000:]), dtype=torch.float32)
print(f"popularity {ndcg(train.sum(0).expand(400, -1)):.4f} | knowing each user's tastes {ndcg(true):.4f}")
