# expect: healthy
# about: masked autoregressive density of binary digits, masks as buffers over most of the weights, loss in nats summed over 64 pixels
import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn

torch.set_num_threads(1)
rng = np.random.default_rng(2)
torch.manual_seed(2)


class MaskedLinear(nn.Linear):
    def __init__(self, mask):
        super().__init__(mask.shape[1], mask.shape[0])
        self.register_buffer("mask", mask.float())

    def forward(self, x):
        return nn.functional.linear(x, self.mask * self.weight, self.bias)


class MADE(nn.Module):
    def __init__(self, d=64, hidden=200):
        super().__init__()
        deg_in = torch.arange(d)
        deg_h1 = torch.tensor(rng.integers(0, d - 1, hidden))
        deg_h2 = torch.tensor(rng.integers(0, d - 1, hidden))
        self.l1 = MaskedLinear(deg_h1[:, None] >= deg_in[None])
        self.l2 = MaskedLinear(deg_h2[:, None] >= deg_h1[None])
        self.l3 = MaskedLinear(deg_in[:, None] > deg_h2[None])
        self.direct = MaskedLinear(deg_in[:, None] > deg_in[None])
        self.drop = nn.Dropout(0.3)

    def forward(self, x):
        h = self.drop(torch.relu(self.l1(x)))
        h = self.drop(torch.relu(self.l2(h)))
        return self.l3(h) + self.direct(x)


x = (torch.tensor(load_digits().data, dtype=torch.float32) > 7).float()
x = x[torch.randperm(len(x))]
train, val = x[:1500], x[1500:]
net = MADE()
opt = torch.optim.AdamW(net.parameters(), lr=6e-3, weight_decay=0.02)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 30)


def nats(logits, v):
    return nn.functional.binary_cross_entropy_with_logits(logits, v, reduction="none").sum(1)


for epoch in range(30):
    net.train()
    for b in torch.randperm(1500).split(50):
        loss = nats(net(train[b]), train[b]).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    sched.step()
    net.eval()
    with torch.no_grad():
        print(f"epoch {epoch} train {nats(net(train), train).mean():.2f} val {nats(net(val), val).mean():.2f} nats")
p = train.mean(0).clamp(0.005, 0.995)
print(f"independent pixels {nats(torch.logit(p).expand_as(val), val).mean():.2f} nats, uniform {64 * np.log(2):.2f}")
probe = val[:1].clone().requires_grad_()
net(probe)[0, 20].backward()
print("pixel 20 looks at later pixels:", bool(probe.grad[0, 20:].abs().sum() > 0))
