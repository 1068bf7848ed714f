# expect: optimizer-misconfigured
# about: dose-response surface with RMSprop and momentum, settings taken from a YAML text
import torch
from torch import nn

SETTINGS = """
lr: 0.002
alpha: 0.99
momentum: 0.998
eps: 0.00000001
epochs: 25
batch: 64
"""


def parse(text):
    pairs = (line.split(":") for line in text.strip().splitlines())
    return {k.strip(): float(v) for k, v in pairs}


torch.manual_seed(9)
torch.set_num_threads(1)
cfg = parse(SETTINGS)
dose = torch.rand(1600, 3) * 4 - 2
response = torch.sigmoid(2 * dose[:, :1]) * torch.sigmoid(1.5 * dose[:, 1:2] - 1) + 0.2 * torch.sin(2 * dose[:, 2:]) + 0.02 * torch.randn(1600, 1)
response = (response - response.mean()) / response.std()
net = nn.Sequential(nn.Linear(3, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 1))
optimizer = torch.optim.RMSprop(net.parameters(), lr=cfg["lr"], alpha=cfg["alpha"], eps=cfg["eps"], momentum=cfg["momentum"])
for epoch in range(int(cfg["epochs"])):
    total = 0.0
    for idx in torch.randperm(1280).split(int(cfg["batch"])):
        loss = nn.functional.mse_loss(net(dose[idx]), response[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() / 20
    with torch.no_grad():
        val = nn.functional.mse_loss(net(dose[1280:]), response[1280:]).item()
    if epoch % 4 == 0:
        print(f"epoch {epoch:2d} train {total:.4f} val {val:.4f}")
print(f"final val mse {val:.4f}")
# cure: - momentum: 0.998
# cure: + momentum: 0.5
