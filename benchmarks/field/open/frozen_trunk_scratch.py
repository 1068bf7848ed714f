# expect: frozen-layers
# about: GRU encoder without pretrained weights is frozen by a flag copied from a fine-tuning script
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
FREEZE_ENCODER = True
x = torch.randint(1, 20, (1600, 12))
y = ((x == 7).sum(1) > (x == 3).sum(1)).long()


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 8)
        self.enc = nn.GRU(8, 16, batch_first=True)
        self.cls = nn.Linear(16, 2)

    def forward(self, x):
        return self.cls(self.enc(self.emb(x))[1][0])


m = Model()
if FREEZE_ENCODER:
    for part in (m.emb, m.enc):
        part.requires_grad_(False)
opt = torch.optim.Adam([p for p in m.parameters() if p.requires_grad], lr=5e-3)
for epoch in range(10):
    for b in torch.randperm(1300).split(26):
        loss = nn.functional.cross_entropy(m(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        o = m(x[1300:])
    print(f"epoch {epoch} loss {loss.item():.4f} val {nn.functional.cross_entropy(o, y[1300:]).item():.4f} acc {(o.argmax(1) == y[1300:]).float().mean().item():.3f}")
# cure: - FREEZE_ENCODER = True
# cure: + FREEZE_ENCODER = False
