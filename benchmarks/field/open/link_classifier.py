# expect: double-softmax
# about: knowledge-graph link classifier: Softmax inside nn.Sequential, label-smoothed CrossEntropyLoss, plain SGD
import torch
from torch import nn

torch.manual_seed(31)
torch.set_num_threads(1)
E_, R = 60, 6
space = torch.randn(E_, 4)
h, t = torch.randint(0, E_, (4000,)), torch.randint(0, E_, (4000,))
rel = torch.stack([(space[h, 0] > space[t, 0]), (space[h, 1] > space[t, 1])], 1).long() @ torch.tensor([1, 2]) + 0
rel = torch.where(space[h, 2] * space[t, 2] > 1.0, torch.tensor(4), rel)


class Linker(nn.Module):
    def __init__(self):
        super().__init__()
        self.ent = nn.Embedding(E_, 16)
        self.mlp = nn.Sequential(
            nn.Linear(32, 64),
            nn.ReLU(),
            nn.Linear(64, R),
            nn.Softmax(dim=1),
        )

    def forward(self, a, b):
        return self.mlp(torch.cat([self.ent(a), self.ent(b)], 1))


net = Linker()
crit = nn.CrossEntropyLoss(label_smoothing=0.05)
opt = torch.optim.SGD(net.parameters(), lr=0.3)
ntr = 3400
for epoch in range(25):
    tot = 0
    for b in torch.randperm(ntr).split(50):
        opt.zero_grad()
        loss = crit(net(h[b], t[b]), rel[b])
        loss.backward()
        opt.step()
        tot += loss.item() * len(b) / ntr
    with torch.no_grad():
        o = net(h[ntr:], t[ntr:])
        print(f"epoch {epoch:2d} train {tot:.4f} val {crit(o, rel[ntr:]).item():.4f} acc {(o.argmax(1) == rel[ntr:]).float().mean().item():.3f}")
# cure: - nn.Softmax(dim=1),
# cure: +
