# expect: healthy
# about: gradient checkpointing through residual blocks (each forward runs twice), stochastic depth, regression of a rough surface
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.set_num_threads(1)
torch.manual_seed(14)


class Block(nn.Module):
    def __init__(self, width, keep):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.keep = keep
        nn.init.zeros_(self.down.weight)
        nn.init.zeros_(self.down.bias)

    def forward(self, x, gate):
        return x + gate * self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


class Surface(nn.Module):
    def __init__(self, width=48, depth=4):
        super().__init__()
        self.inp, self.out = nn.Linear(10, width), nn.Linear(width, 1)
        self.blocks = nn.ModuleList(Block(width, 1 - 0.03 * i) for i in range(depth))

    def forward(self, x):
        h = self.inp(x)
        for blk in self.blocks:
            gate = (torch.rand(len(x), 1) < blk.keep).float() / blk.keep if self.training else torch.ones(1)
            h = checkpoint(blk, h, gate, use_reentrant=False) if self.training else blk(h, gate)
        return self.out(h).squeeze(-1)


freq = torch.tensor([1.0, 1.7, 2.6])
dirs = nn.functional.normalize(torch.randn(3, 2), dim=1)


def truth(p):
    return (torch.sin(p @ dirs.T * freq * 2) * torch.tensor([1.0, 0.6, 0.4])).sum(1) + 0.5 * (p[:, 0] * p[:, 1])


def feats(p):
    return torch.cat([p, torch.sin(2 * p), torch.cos(2 * p), torch.sin(4 * p), torch.cos(4 * p)], 1)


pts = torch.rand(3000, 2) * 4 - 2
obs = truth(pts) + 0.1 * torch.randn(3000)
test = torch.rand(800, 2) * 4 - 2
net = Surface()
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.01)
steps = 700
sched = torch.optim.lr_scheduler.SequentialLR(opt, [
    torch.optim.lr_scheduler.LinearLR(opt, 0.1, total_iters=40), torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps - 40)], [40])
net.train()
for it in range(steps):
    b = torch.randint(0, 3000, (64,))
    loss = nn.functional.mse_loss(net(feats(pts[b])), obs[b])
    loss.backward()
    opt.step()
    opt.zero_grad()
    sched.step()
    if it % 100 == 99:
        net.eval()
        with torch.no_grad():
            r = (net(feats(test)) - truth(test)).pow(2).mean().sqrt().item()
        net.train()
        print(f"it {it + 1} batch mse {loss.item():.4f} test rmse against the true surface {r:.4f} (surface std {truth(test).std():.3f})")
