# expect: dead-relus
# about: inputs shifted to be all negative while the first layer's weights are made positive for "interpretability"
import torch
from torch import nn

torch.manual_seed(7)
torch.set_num_threads(1)
conc = torch.rand(2000, 8)
effect = (conc[:, 0] * conc[:, 1] + conc[:, 2] ** 2 - conc[:, 3]).unsqueeze(1)
effect = (effect - effect.mean()) / effect.std()
shift = 1.0
inputs = conc - shift
net = nn.Sequential(nn.Linear(8, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 1))
with torch.no_grad():
    net[0].weight.abs_()
    net[0].bias.zero_()
opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)
for epoch in range(15):
    for b in torch.randperm(1600).split(32):
        loss = nn.functional.mse_loss(net(inputs[b]), effect[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        v = nn.functional.mse_loss(net(inputs[1600:]), effect[1600:]).item()
    print(f"epoch {epoch} train {loss.item():.4f} val {v:.4f}")
# cure: - shift = 1.0
# cure: + shift = 0.0
