# expect: healthy
# about: CTC on synthetic dot-dash traces with a bidirectional GRU; loss starts high, flat blank phase, then drops
import random
import torch
import torch.nn as nn

torch.set_num_threads(1)
random.seed(1)
torch.manual_seed(1)


def trace():
    label = [random.randint(1, 3) for _ in range(random.randint(2, 4))]
    sig = []
    for s in label:
        sig += [0.0] * random.randint(1, 3) + [[1.0] * 2, [1.0] * 5, [-1.0] * 3][s - 1]
    sig += [0.0] * (32 - len(sig))
    return torch.tensor(sig[:32]) + 0.1 * torch.randn(32), torch.tensor(label)


def batch(n):
    rows = [trace() for _ in range(n)]
    return torch.stack([r[0] for r in rows]), torch.cat([r[1] for r in rows]), torch.tensor([len(r[1]) for r in rows])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 24, 5, padding=2)
        self.gru = nn.GRU(24, 24, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(48, 4)

    def forward(self, x):
        h = torch.relu(self.conv(x.unsqueeze(1))).transpose(1, 2)
        return self.fc(self.gru(h)[0]).log_softmax(-1)


def decode(lp):
    out = []
    for path in lp.argmax(-1).tolist():
        prev, s = 0, []
        for p in path:
            if p != prev and p != 0:
                s.append(p)
            prev = p
        out.append(s)
    return out


net, ctc = Net(), nn.CTCLoss(blank=0, zero_infinity=True)
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 1e-2, total_steps=350)
for step in range(350):
    x, y, n = batch(32)
    lp = net(x)
    loss = ctc(lp.transpose(0, 1), y, torch.full((32,), 32), n)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 5.0)
    opt.step()
    sched.step()
    if step % 50 == 49:
        with torch.no_grad():
            x, y, n = batch(200)
            ok = sum(d == t.tolist() for d, t in zip(decode(net(x)), y.split(n.tolist())))
        print("step", step + 1, "ctc %.4f" % loss.item(), "exact sequences %.3f" % (ok / 200))
