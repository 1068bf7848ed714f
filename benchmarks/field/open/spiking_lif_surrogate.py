# expect: healthy
# about: leaky integrate-and-fire network on digits: spikes are a step function with a custom backward, two units in three silent at any time
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(157)
torch.set_num_threads(1)


class Spike(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v):
        ctx.save_for_backward(v)
        return (v > 0).float()

    @staticmethod
    def backward(ctx, grad):
        (v,) = ctx.saved_tensors
        return grad / (1 + 5 * v.abs()) ** 2


class LIF(nn.Module):
    def __init__(self, nin, nout, decay=0.85):
        super().__init__()
        self.fc, self.decay = nn.Linear(nin, nout), decay

    def forward(self, spikes):
        v = torch.zeros(spikes.shape[1], self.fc.out_features)
        out = []
        for s in spikes:
            v = self.decay * v + self.fc(s)
            z = Spike.apply(v - 1.0)
            v = v - z.detach()
            out.append(z)
        return torch.stack(out)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.readout = LIF(64, 128), nn.Linear(128, 10)
        self.rate = 0.0

    def forward(self, x, steps=12):
        current = (torch.rand(steps, *x.shape) < x).float()
        z = self.hidden(current)
        self.rate = z.mean().item()
        return self.readout(z.mean(0) * 4)


d = load_digits()
x, y = torch.tensor(d.data).float() / 16, torch.tensor(d.target)
perm = torch.randperm(len(x))
tr, te = perm[:1400], perm[1400:]
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 22)
for epoch in range(22):
    tot = 0.0
    for b in tr[torch.randperm(len(tr))].split(70):
        loss = F.cross_entropy(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 20
    sched.step()
    if epoch % 3 == 0:
        with torch.no_grad():
            out = net(x[te], 24)
        print(f"epoch {epoch} train {tot:.4f} test {F.cross_entropy(out, y[te]).item():.4f} acc {(out.argmax(1) == y[te]).float().mean():.4f} firing rate {net.rate:.3f}")
