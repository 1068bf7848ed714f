# expect: noisy-labels
# about: weather table joined with the target of another station's file: rows do not belong together
import torch
import torch.nn as nn

torch.manual_seed(17)
torch.set_num_threads(1)
g = torch.Generator().manual_seed(17)
hours = 2500
temp = torch.randn(hours, generator=g)
wind = torch.rand(hours, generator=g)
hum = torch.rand(hours, generator=g)
day = torch.randint(0, 7, (hours,), generator=g).float() / 3 - 1
ozone = 0.8 * temp - 1.2 * wind + torch.sin(4 * hum) * temp + 0.3 * day + 0.1 * torch.randn(hours, generator=g)
ozone = (ozone - ozone.mean()) / ozone.std()
table = torch.stack([temp, wind * 2 - 1, hum * 2 - 1, day], 1)
rows = list(range(hours))
rows.sort(key=lambda r: temp[r].item())
features = table[torch.tensor(rows)]
target = ozone[torch.tensor(sorted(rows))]
shuffle = torch.randperm(hours, generator=g)
features, target = features[shuffle], target[shuffle].unsqueeze(1)
net = nn.Sequential(nn.Linear(4, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
for epoch in range(20):
    acc = 0.0
    for b in torch.randperm(2000).split(50):
        opt.zero_grad(set_to_none=True)
        loss = nn.functional.smooth_l1_loss(net(features[b]), target[b])
        loss.backward()
        opt.step()
        acc += loss.item() / 40
    with torch.no_grad():
        pv = net(features[2000:])
        r2 = 1 - ((pv - target[2000:]) ** 2).mean() / target[2000:].var()
    print(f"epoch {epoch:2d} train {acc:.4f} val {nn.functional.smooth_l1_loss(pv, target[2000:]).item():.4f} R2 {r2.item():.3f}")
# cure: - target = ozone[torch.tensor(sorted(rows))]
# cure: + target = ozone[torch.tensor(rows)]
