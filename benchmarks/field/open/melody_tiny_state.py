# expect: model-too-small
# about: next-note model over tunes that remember their opening, very slim recurrent state
import torch
from torch import nn

torch.manual_seed(71)
torch.set_num_threads(1)
NOTES, T = 16, 16
HIDDEN = 2
rule = torch.randint(0, NOTES, (4, NOTES))


def tunes(n):
    key = torch.randint(0, 4, (n,))
    s = [key, torch.randint(0, NOTES, (n,))]
    for _ in range(T):
        s.append(rule[key, s[-1]])
        jump = torch.rand(n) < 0.25
        s[-1] = torch.where(jump, torch.randint(0, NOTES, (n,)), s[-1])
    return torch.stack(s, 1)


class Melody(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.e, self.g, self.o = nn.Embedding(NOTES, 8), nn.GRU(8, h, batch_first=True), nn.Linear(h, NOTES)

    def forward(self, x):
        return self.o(self.g(self.e(x))[0])


net = Melody(HIDDEN)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 500)
val = tunes(300)
for it in range(500):
    x = tunes(32)
    loss = nn.functional.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if it % 50 == 49:
        with torch.no_grad():
            o = net(val[:, :-1])
        print(f"it {it + 1} loss {loss.item():.3f} val {nn.functional.cross_entropy(o.flatten(0, 1), val[:, 1:].flatten()):.3f} acc {(o.argmax(-1) == val[:, 1:]).float().mean():.3f}")
# cure: - HIDDEN = 2
# cure: + HIDDEN = 64
