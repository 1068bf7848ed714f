# expect: model-too-small
# about: factorisation model of song ratings with a small latent size, AdamW and a cosine rate
import argparse

import torch
import torch.nn as nn

ap = argparse.ArgumentParser()
ap.add_argument("--latent", type=int, default=1)
ap.add_argument("--epochs", type=int, default=12)
opt = ap.parse_args()

torch.manual_seed(29)
torch.set_num_threads(1)
USERS, SONGS, TRUE = 150, 120, 8
taste, trait = torch.randn(USERS, TRUE), torch.randn(SONGS, TRUE)
u, s = torch.randint(0, USERS, (14000,)), torch.randint(0, SONGS, (14000,))
rating = (taste[u] * trait[s]).sum(1) / TRUE**0.5 + 0.1 * torch.randn(14000)


class Factors(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.user, self.song = nn.Embedding(USERS, k), nn.Embedding(SONGS, k)
        self.ub, self.sb = nn.Embedding(USERS, 1), nn.Embedding(SONGS, 1)
        for e in (self.ub, self.sb):
            nn.init.zeros_(e.weight)
        for e in (self.user, self.song):
            nn.init.normal_(e.weight, std=0.3)

    def forward(self, u, s):
        return (self.user(u) * self.song(s)).sum(-1) + self.ub(u).squeeze(-1) + self.sb(s).squeeze(-1)


model = Factors(opt.latent)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-2, weight_decay=1e-3)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, opt.epochs * 120)
for epoch in range(opt.epochs):
    run = 0.0
    for i in torch.randperm(12000).split(100):
        loss = nn.functional.mse_loss(model(u[i], s[i]), rating[i])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        run += loss.item() / 120
    with torch.no_grad():
        val = nn.functional.mse_loss(model(u[12000:], s[12000:]), rating[12000:]).item()
    print(f"epoch {epoch + 1:2d} train mse {run:.4f} val mse {val:.4f}")
# cure: - ap.add_argument("--latent", type=int, default=1)
# cure: + ap.add_argument("--latent", type=int, default=8)
