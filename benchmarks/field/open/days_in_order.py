# expect: unshuffled-data
# about: sensors concatenated machine by machine, each with its own class; a plain slice loop walks through them
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
centre = torch.randn(6, 12) * 0.8
X = torch.cat([centre[k] + torch.randn(300, 12) for k in range(6)])
y = torch.arange(6).repeat_interleave(300)
val_x = torch.cat([centre[k] + torch.randn(60, 12) for k in range(6)])
val_y = torch.arange(6).repeat_interleave(60)
net = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 6))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for epoch in range(10):
    order = torch.arange(1800)
    for k in range(0, 1800, 30):
        b = order[k : k + 30]
        loss = nn.functional.cross_entropy(net(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        o = net(val_x)
    print(f"epoch {epoch} last loss {loss.item():.4f} val {nn.functional.cross_entropy(o, val_y).item():.4f} acc {(o.argmax(1) == val_y).float().mean().item():.3f}")
# cure: - order = torch.arange(1800)
# cure: + order = torch.randperm(1800)
