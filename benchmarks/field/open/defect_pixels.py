# expect: class-imbalance
# also: undertrained
# about: defects cover 1 % of the pixels; plain BCE, the mask comes out empty
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)


def plates(n):
    img = torch.randn(n, 1, 20, 20)
    mask = torch.zeros(n, 1, 20, 20)
    for k in range(n):
        if torch.rand(()) < 0.6:
            r, c = torch.randint(0, 17, (2,)).tolist()
            mask[k, 0, r : r + 3, c : c + 3] = 1
    return img + 2.2 * mask, mask


x, m = plates(500)
xv, mv = plates(200)
net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 1))
criterion = nn.BCEWithLogitsLoss()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(10):
    net.train()
    for b in torch.randperm(500).split(25):
        opt.zero_grad()
        loss = criterion(net(x[b]), m[b])
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        o = net(xv) > 0
        hit = (o & (mv > 0)).sum() / (mv > 0).sum()
        fa = (o & (mv == 0)).sum() / (mv == 0).sum()
    print(f"epoch {epoch} loss {loss.item():.4f} pixel acc {(o == (mv > 0)).float().mean():.4f} recall {hit:.3f} false alarms {fa:.3f}")
# cure: - criterion = nn.BCEWithLogitsLoss()
# cure: + criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(10.0))
