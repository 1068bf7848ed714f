# expect: detached-graph
import builtins, keyword, random, re, torch
from torch import nn
import inspect, tarfile, smtplib, doctest
random.seed(0); torch.manual_seed(0)
src = "".join(inspect.getsource(m) for m in (tarfile, smtplib, doctest))
idents = sorted(set(re.findall(r"[A-Za-z_]{5,12}", src)))
cls = lambda w: 0 if w.isupper() else 1 if w[0].isupper() else 2 if "_" in w else 3
by = {c: [w for w in idents if cls(w) == c] for c in range(4)}
m = min(len(v) for v in by.values())
data = [(w, c) for c, v in by.items() for w in random.sample(v, min(len(v), 3 * m))]
# scramble letters so that a class needs the whole word
def corrupt(w):
    return w if random.random() < .5 else w[1:] + w[:1]
data = [(corrupt(w), c) for w, c in data]
random.shuffle(data); k = int(.8 * len(data))
abc = {c: i + 1 for i, c in enumerate(sorted({c for w, _ in data for c in w}))}
X = torch.zeros(len(data), 12, dtype=torch.long)
for r, (w, _) in enumerate(data): X[r, 12 - len(w):] = torch.tensor([abc[c] for c in w])
Y = torch.tensor([c for _, c in data])

class Enc(nn.Module):
    def __init__(s):
        super().__init__(); s.e = nn.Embedding(len(abc) + 1, 16, padding_idx=0); s.g = nn.GRU(16, 48, batch_first=True)
    def forward(s, x):
        _, h = s.g(s.e(x))
        return torch.tensor(h[0].tolist())

enc, head = Enc(), nn.Linear(48, 4)
opt = torch.optim.Adam([*enc.parameters(), *head.parameters()], 3e-3)
for ep in range(12):
    for b in torch.randperm(k).split(32):
        loss = nn.functional.cross_entropy(head(enc(X[b])), Y[b])
        opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad(): a = (head(enc(X[k:])).argmax(1) == Y[k:]).float().mean().item()
    print(ep, loss.item(), "val", a, "majority", (torch.bincount(Y[k:]).max() / len(Y[k:])).item())
