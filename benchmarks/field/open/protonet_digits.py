# expect: healthy
# about: prototypical networks: 5-way 5-shot episodes from digit classes, a noisy loss because every episode differs
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.set_num_threads(1)
torch.manual_seed(50)
d = load_digits()
X = torch.tensor(d.images, dtype=torch.float32)[:, None] / 16
rot = torch.cat([X.rot90(k, (2, 3)) for k in range(4)])
label = torch.cat([torch.tensor(d.target) + 10 * k for k in range(4)])
by_class = [rot[label == c] for c in range(40)]
novel = [3, 14, 25, 37, 9, 18]
base = [c for c in range(40) if c not in novel]


def episode(classes, way=5, shot=5, query=8):
    chosen = [classes[i] for i in torch.randperm(len(classes))[:way]]
    s, q = [], []
    for c in chosen:
        pick = torch.randperm(len(by_class[c]))[:shot + query]
        s.append(by_class[c][pick[:shot]])
        q.append(by_class[c][pick[shot:]])
    return torch.cat(s), torch.cat(q), torch.arange(way).repeat_interleave(query)


class Conv4(nn.Module):
    def __init__(self):
        super().__init__()
        def block(i, o):
            return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(), nn.MaxPool2d(2))
        self.net = nn.Sequential(block(1, 24), block(24, 48), nn.Flatten(), nn.Linear(192, 48))

    def forward(self, x):
        return self.net(x)


def forward(model, batch):
    s, q, y = batch
    z = model(torch.cat([s, q]))
    proto = z[:len(s)].view(5, 5, -1).mean(1)
    logits = -torch.cdist(z[len(s):], proto) ** 2
    return nn.functional.cross_entropy(logits, y), (logits.argmax(1) == y).float().mean().item()


model = Conv4()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.StepLR(opt, 150, 0.5)
for ep in range(1, 451):
    model.train()
    loss, acc = forward(model, episode(base))
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if ep % 75 == 0:
        model.eval()
        with torch.no_grad():
            res = [forward(model, episode(novel)) for _ in range(20)]
        print(f"episode {ep} loss {loss.item():.3f} train acc {acc:.2f} novel acc {sum(a for _, a in res) / 20:.3f}")
