# expect: healthy
import inspect, argparse as ap, textwrap as tw
import torch, torch.nn as nn
from torch.nn import functional as F

torch.manual_seed(1337)
text = inspect.getsource(ap)[:60000] + inspect.getsource(tw)
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])
n = int(0.9 * len(data))
V, B, T, H = len(chars), 16, 32, 128

def lanes(t):
    m = (len(t) - 1) // B
    return t[:m * B].view(B, m), t[1:m * B + 1].view(B, m)

class CharLSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, 48)
        self.rnn = nn.LSTM(48, H, batch_first=True)
        self.out = nn.Linear(H, V)
    def forward(self, x, state=None):
        h, state = self.rnn(self.emb(x), state)
        return self.out(h), state

model = CharLSTM()
opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
xtr, ytr = lanes(data[:n])
xva, yva = lanes(data[n:])
for epoch in range(6):
    state = None
    tot = cnt = 0
    for i in range(0, xtr.size(1) - T, T):
        if state is not None:
            state = tuple(s.detach() for s in state)
        logits, state = model(xtr[:, i:i+T], state)
        loss = F.cross_entropy(logits.reshape(-1, V), ytr[:, i:i+T].reshape(-1))
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        tot += loss.item(); cnt += 1
    with torch.no_grad():
        lv, _ = model(xva)
        v = F.cross_entropy(lv.reshape(-1, V), yva.reshape(-1)).item()
    print(f"epoch {epoch} train {tot/cnt:.3f} val {v:.3f}")
p = torch.bincount(data[:n], minlength=V).float() + 1
print("val nll", v, "unigram nll", -(p / p.sum()).log()[data[n:]].mean().item())
