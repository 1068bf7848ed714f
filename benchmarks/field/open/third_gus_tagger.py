# expect: healthy
import io, keyword, tokenize, inspect, random
import torch
import torch.nn as nn
import json, csv, shlex, textwrap, string, calendar, difflib

CONF = dict(emb=32, hid=48, batch=24, epochs=8, lr=3e-3, maxlen=40, seed=2)
random.seed(CONF["seed"]); torch.manual_seed(CONF["seed"])

def lines():
    for mod in (json, csv, shlex, textwrap, string, calendar, difflib, inspect):
        cur, tags = [], []
        for t in tokenize.generate_tokens(io.StringIO(inspect.getsource(mod)).readline):
            if t.type in (tokenize.NEWLINE, tokenize.NL):
                if len(cur) > 2:
                    yield cur[:CONF["maxlen"]], tags[:CONF["maxlen"]]
                cur, tags = [], []
            elif t.string.strip() and t.type not in (tokenize.COMMENT,):
                s = t.string
                tag = 0 if keyword.iskeyword(s) else 1 if t.type == tokenize.NAME else 2 if t.type == tokenize.OP else 3 if t.type == tokenize.NUMBER else 4
                cur.append(s); tags.append(tag)

data = list(lines())
random.shuffle(data)
cut = int(.8 * len(data))
chars = sorted({c for ws, _ in data for w in ws for c in w[:6]})
ci = {c: i + 1 for i, c in enumerate(chars)}

def collate(rows):
    L = max(len(w) for w, _ in rows)
    x = torch.zeros(len(rows), L, 6, dtype=torch.long)
    y = torch.full((len(rows), L), -100)
    for r, (ws, ts) in enumerate(rows):
        for j, (w, t) in enumerate(zip(ws, ts)):
            for k, c in enumerate(w[:6]):
                x[r, j, k] = ci[c]
            # names are only scored one time in three to balance things
            y[r, j] = t if t != 1 or random.random() < .35 else -100
    return x, y

class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(len(chars) + 1, CONF["emb"], padding_idx=0)
        self.proj = nn.Linear(CONF["emb"] * 6, CONF["hid"])
        self.gru = nn.GRU(CONF["hid"], CONF["hid"], batch_first=True, bidirectional=True)
        self.fc = nn.Linear(2 * CONF["hid"], 5)
    def forward(self, x):
        h = torch.relu(self.proj(self.emb(x).flatten(2)))
        return self.fc(self.gru(h)[0])

net = Tagger()
opt = torch.optim.Adam(net.parameters(), lr=CONF["lr"])
crit = nn.CrossEntropyLoss(ignore_index=-100)
loader = torch.utils.data.DataLoader(data[:cut], batch_size=CONF["batch"], shuffle=True, collate_fn=collate)
val = torch.utils.data.DataLoader(data[cut:], batch_size=100, collate_fn=collate)
for ep in range(CONF["epochs"]):
    net.train(); tl = 0
    for x, y in loader:
        opt.zero_grad()
        loss = crit(net(x).transpose(1, 2), y)
        loss.backward(); opt.step(); tl += loss.item()
    net.eval(); ok = n = 0
    hist = torch.zeros(5)
    with torch.no_grad():
        for x, y in val:
            m = y != -100
            ok += (net(x).argmax(-1)[m] == y[m]).sum().item(); n += m.sum().item()
            hist += torch.bincount(y[m], minlength=5)
    print(f"ep {ep} loss {tl/len(loader):.4f} val acc {ok/n:.4f} majority {(hist.max()/hist.sum()).item():.3f}")
