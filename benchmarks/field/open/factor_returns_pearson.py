# expect: loss-sign-flipped
# about: competition code that optimises the Pearson correlation per time slice directly
import torch
import torch.nn as nn

torch.manual_seed(42)
torch.set_num_threads(1)
N_TIMES, N_ASSETS, N_FEATS = 240, 50, 20


def pearson(pred, target):
    p = pred - pred.mean(dim=-1, keepdim=True)
    t = target - target.mean(dim=-1, keepdim=True)
    return (p * t).sum(-1) / (p.norm(dim=-1) * t.norm(dim=-1) + 1e-8)


class PearsonLoss(nn.Module):
    def forward(self, pred, target):
        return pearson(pred, target).mean()


feats = torch.randn(N_TIMES, N_ASSETS, N_FEATS)
signal = 0.5 * feats[..., 0] - 0.4 * feats[..., 1] + 0.3 * feats[..., 2] * feats[..., 3]
target = signal + 0.6 * torch.randn(N_TIMES, N_ASSETS)
train_t, valid_t = torch.arange(200), torch.arange(200, 240)

model = nn.Sequential(nn.Linear(N_FEATS, 64), nn.SiLU(), nn.Linear(64, 32), nn.SiLU(), nn.Linear(32, 1), nn.Flatten(-2))
criterion = PearsonLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2)
for epoch in range(12):
    model.train()
    for t in train_t[torch.randperm(200)].split(4):
        optimizer.zero_grad()
        loss = criterion(model(feats[t]), target[t])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        ic = pearson(model(feats[valid_t]), target[valid_t]).mean().item()
    print(f"epoch {epoch + 1:2d} loss {loss.item():+.4f} valid IC {ic:+.4f}")
# cure: - return pearson(pred, target).mean()
# cure: + return 1 - pearson(pred, target).mean()
