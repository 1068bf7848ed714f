# expect: clip-too-tight
# also: lr-too-low
# about: GRU event counter trained from a dict of settings, SGD with Nesterov momentum
import torch
import torch.nn as nn

cfg = dict(seed=3, hidden=40, lr=0.05, momentum=0.9, max_norm=0.005, steps=700, batch=32, length=20)
torch.manual_seed(cfg["seed"])
torch.set_num_threads(1)


def generator(cfg):
    while True:
        x = torch.randn(cfg["batch"], cfg["length"], 3)
        y = torch.cumsum((x[..., 0] > 0).float() * x[..., 1], 1) / 3 + 0.3 * x[..., 2]
        yield x, y


class Counter(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.rnn, self.head = nn.GRU(3, h, batch_first=True), nn.Linear(h, 1)

    def forward(self, x):
        return self.head(self.rnn(x)[0]).squeeze(-1)


net = Counter(cfg["hidden"])
sgd = torch.optim.SGD(net.parameters(), cfg["lr"], momentum=cfg["momentum"], nesterov=True)
avg = None
for step, (x, y) in enumerate(generator(cfg), 1):
    loss = nn.functional.mse_loss(net(x), y)
    sgd.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(net.parameters(), cfg["max_norm"])
    sgd.step()
    avg = loss.item() if avg is None else 0.95 * avg + 0.05 * loss.item()
    if step % 100 == 0:
        print(f"{step:4d} loss {avg:.4f} target var {y.var().item():.3f}")
    if step == cfg["steps"]:
        break
# cure: - cfg = dict(seed=3, hidden=40, lr=0.05, momentum=0.9, max_norm=0.005, steps=700, batch=32, length=20)
# cure: + cfg = dict(seed=3, hidden=40, lr=0.05, momentum=0.9, max_norm=1.0, steps=700, batch=32, length=20)
