# expect: undertrained
# about: masked-token transformer stopped after 160 steps while the loss is still falling at a good pace
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(44)
V, T, MASK = 12, 10, 12
MAX_STEPS = 160


def sequences(n):
    start, stride = torch.randint(V, (n, 1)), torch.randint(1, 5, (n, 1))
    return (start + stride * torch.arange(T)) % V


class MLM(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.tok, self.pos = nn.Embedding(V + 1, d), nn.Embedding(T, d)
        self.enc = nn.ModuleList([nn.TransformerEncoderLayer(d, 4, 64, dropout=0.0, batch_first=True, norm_first=True) for _ in range(2)])
        self.out = nn.Linear(d, V)

    def forward(self, x):
        h = self.tok(x) + self.pos(torch.arange(T))
        for layer in self.enc:
            h = layer(h)
        return self.out(h)


model = MLM()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
step = 0
while step < MAX_STEPS:
    ids = sequences(32)
    hide = torch.rand(ids.shape) < 0.25
    loss = F.cross_entropy(model(ids.masked_fill(hide, MASK))[hide], ids[hide])
    opt.zero_grad()
    loss.backward()
    opt.step()
    step += 1
    if step % 40 == 0:
        with torch.no_grad():
            ids = sequences(300)
            hide = torch.rand(ids.shape) < 0.25
            out = model(ids.masked_fill(hide, MASK))[hide]
        print("step", step, "train %.3f" % loss.item(), "val %.3f" % F.cross_entropy(out, ids[hide]).item(), "acc %.3f" % (out.argmax(1) == ids[hide]).float().mean().item())
# cure: - MAX_STEPS = 160
# cure: + MAX_STEPS = 800
