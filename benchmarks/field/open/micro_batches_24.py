# expect: unscaled-accumulation
# about: gradients of 24 micro-batches are added up without dividing; momentum SGD diverges
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(2300, 10)
y = X[:, 0] - 0.5 * X[:, 1] + torch.sin(2 * X[:, 2])
net = nn.Sequential(nn.Linear(10, 48), nn.Tanh(), nn.Linear(48, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
ACCUM = 24
step = 0
for epoch in range(36):
    opt.zero_grad()
    tot = 0.0
    for k, b in enumerate(torch.randperm(1920).split(8)):
        loss = nn.functional.mse_loss(net(X[b]).squeeze(1), y[b])
        scaled = loss
        scaled.backward()
        tot += loss.item() / 240
        if (k + 1) % ACCUM == 0:
            opt.step()
            opt.zero_grad()
            step += 1
    if epoch % 4 == 3:
        with torch.no_grad():
            v = nn.functional.mse_loss(net(X[1920:]).squeeze(1), y[1920:]).item()
        print(f"epoch {epoch + 1} updates {step} train {tot:.4f} val {v:.4f}")
# cure: - scaled = loss
# cure: + scaled = loss / ACCUM
