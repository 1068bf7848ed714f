# expect: healthy
# about: GRU adds two numbers digit by digit, number length grows 2-4-6-8 as soon as the present length is solved; the loss jumps up at every promotion
import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(41)


def problems(n, digits):
    a, b = torch.randint(0, 10, (n, digits)), torch.randint(0, 10, (n, digits))
    carry, out = torch.zeros(n, dtype=torch.long), []
    for k in range(digits):
        s = a[:, k] + b[:, k] + carry
        out.append(s % 10)
        carry = s // 10
    return torch.stack([a, b], -1), torch.stack(out, 1)


class Adder(nn.Module):
    def __init__(self, hid=48):
        super().__init__()
        self.digit = nn.Embedding(10, 16)
        self.mix = nn.Linear(32, 48)
        self.rnn = nn.GRU(48, hid, batch_first=True)
        self.out = nn.Linear(hid, 10)

    def forward(self, ab):
        e = self.digit(ab).flatten(2)
        h, _ = self.rnn(torch.relu(self.mix(e)))
        return self.out(h)


model = Adder()
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
levels, level, ema, step = [2, 4, 6, 8], 0, 0.0, 0
log = []
while step < 900:
    x, y = problems(64, levels[level])
    logits = model(x)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    step += 1
    ema = 0.95 * ema + 0.05 * (logits.argmax(-1) == y).all(1).float().mean().item()
    if step % 60 == 0:
        print(f"step {step} length {levels[level]} loss {loss.item():.4f} solved {ema:.3f}")
    if ema > 0.97 and level < 3:
        level, ema = level + 1, 0.0
        print(f"-- step {step}: promoted to length {levels[level]}")
    if level == 3 and step > 700:
        for g in optimizer.param_groups:
            g["lr"] = 8e-4
model.eval()
with torch.no_grad():
    for n in (8, 12, 20):
        x, y = problems(400, n)
        print(f"length {n}: whole sums right {(model(x).argmax(-1) == y).all(1).float().mean():.3f}")
