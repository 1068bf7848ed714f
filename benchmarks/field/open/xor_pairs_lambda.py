# expect: lr-decays-too-soon
# about: LambdaLR of 0.85 ** epoch is stepped several times an epoch
import torch
import torch.nn as nn

torch.manual_seed(8)
torch.set_num_threads(1)
X = torch.randn(2400, 16)
y = ((X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3]) > 0).float()
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.85**epoch)
lossf = nn.BCEWithLogitsLoss()
for epoch in range(20):
    model.train()
    for k, b in enumerate(torch.randperm(2000).split(50)):
        optimizer.zero_grad()
        loss = lossf(model(X[b]).squeeze(1), y[b])
        loss.backward()
        optimizer.step()
        if k % 10 == 0:
            scheduler.step()
    model.eval()
    with torch.no_grad():
        o = model(X[2000:]).squeeze(1)
    print(f"epoch {epoch} loss {loss.item():.4f} val {lossf(o, y[2000:]).item():.4f} acc {((o > 0) == (y[2000:] > 0.5)).float().mean().item():.3f} lr {scheduler.get_last_lr()[0]:.2e}")
# cure: - if k % 10 == 0:
# cure: + if k == 0:
