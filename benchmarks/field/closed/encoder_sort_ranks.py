# expect: lr-too-high
# about: transformer encoder that predicts each token's rank; Adam at 2e-2
import torch
from torch import nn, optim

torch.set_num_threads(1)
torch.manual_seed(6)


class Ranker(nn.Module):
    def __init__(self, d_model=32, nhead=4, nlayers=2, T=8):
        super().__init__()
        self.inp = nn.Linear(1, d_model)
        layer = nn.TransformerEncoderLayer(d_model, nhead, 64, dropout=0.0, batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, nlayers, enable_nested_tensor=False)
        self.head = nn.Linear(d_model, T)

    def forward(self, x):
        return self.head(self.enc(self.inp(x)))


def get_batch(bs):
    v = torch.rand(bs, 8)
    return (v * 4 - 2).unsqueeze(-1), v.argsort(1).argsort(1)


cfg = dict(lr=2e-2, steps=300, bs=64)
model = Ranker()
optimizer = optim.Adam(model.parameters(), lr=cfg["lr"])
ce = nn.CrossEntropyLoss()
model.train()
for step in range(1, cfg["steps"] + 1):
    x, rank = get_batch(cfg["bs"])
    loss = ce(model(x).transpose(1, 2), rank)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 25 == 0:
        model.eval()
        with torch.no_grad():
            x, rank = get_batch(256)
            acc = (model(x).argmax(-1) == rank).float().mean().item()
        model.train()
        print("step", step, "loss", round(loss.item(), 4), "token acc", round(acc, 3))
# cure: - cfg = dict(lr=2e-2, steps=300, bs=64)
# cure: + cfg = dict(lr=2e-3, steps=300, bs=64)
