# expect: healthy
import textwrap
import time
import torch
import torch.nn as nn

torch.manual_seed(1234)
text = open(textwrap.__file__).read()
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])
n = int(0.9 * len(data))
train, val = data[:n], data[n:]
T, B = 48, 24


def batch(src):
    ix = torch.randint(0, len(src) - T - 1, (B,))
    return torch.stack([src[i:i + T] for i in ix]), torch.stack([src[i + 1:i + T + 1] for i in ix])


class CharRNN(nn.Module):
    def __init__(self, v, e=32, h=96):
        super().__init__()
        self.emb = nn.Embedding(v, e)
        self.rnn = nn.GRU(e, h, batch_first=True)
        self.out = nn.Linear(h, v)

    def forward(self, x, s=None):
        o, s = self.rnn(self.emb(x), s)
        return self.out(o), s


net = CharRNN(len(chars))
opt = torch.optim.AdamW(net.parameters(), lr=4e-3)
t0 = time.time()
for step in range(500):
    x, y = batch(train)
    logits, _ = net(x)
    loss = nn.functional.cross_entropy(logits.view(-1, len(chars)), y.view(-1))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    if step % 100 == 0:
        print(f"{step:5d} {loss.item():.3f} ({time.time() - t0:.1f}s)")


@torch.no_grad()
def val_loss(k=20):
    net.eval()
    tot = 0
    for _ in range(k):
        x, y = batch(val)
        l, _ = net(x)
        tot += nn.functional.cross_entropy(l.flatten(0, 1), y.flatten()).item()
    net.train()
    return tot / k


@torch.no_grad()
def sample(prompt="def ", k=200):
    s, out = None, prompt
    x = torch.tensor([[stoi[c] for c in prompt]])
    for _ in range(k):
        l, s = net(x, s)
        x = torch.multinomial(l[:, -1].softmax(-1), 1)
        out += chars[x.item()]
    return out


vl = val_loss()
print("val", vl)
print(sample())
