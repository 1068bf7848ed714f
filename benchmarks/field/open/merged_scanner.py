# expect: bad-batch
# about: four scans were stored in another bit depth (values a hundred times larger) among 800 ordinary ones
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(3)
torch.set_num_threads(1)


def scans(n):
    y = torch.randint(0, 2, (n,))
    x = torch.rand(n, 1, 12, 12)
    x[:, 0, 3:9, 3:9] += 0.35 * y[:, None, None]
    return x - 0.5, y


x, y = scans(800)
xv, yv = scans(300)
x[[50, 51, 52, 53]] *= 120
keep = torch.arange(800)
model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(200, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
log = []
for epoch in range(12):
    for b in keep[torch.randperm(len(keep))].split(20):
        loss = F.cross_entropy(model(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        log.append(loss.item())
    with torch.no_grad():
        o = model(xv)
        print(f"epoch {epoch} mean {sum(log[-len(keep) // 20:]) / (len(keep) // 20):.3f} max {max(log[-len(keep) // 20:]):.2f} val {F.cross_entropy(o, yv).item():.4f} acc {(o.argmax(1) == yv).float().mean().item():.3f}")
# cure: - keep = torch.arange(800)
# cure: + keep = torch.arange(60, 800)
