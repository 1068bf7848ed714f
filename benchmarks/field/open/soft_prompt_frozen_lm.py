# expect: healthy
# about: prompt tuning: a small sequence model is trained on two tasks marked by a token, then frozen; only five prompt vectors are learned to choose the task without the marker
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(127)
torch.set_num_threads(1)
V, L, D, P = 12, 6, 48, 5
COPY, SHIFT = V, V + 1


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V + 2, D)
        self.pos = nn.Parameter(0.3 * torch.randn(L, D))
        layer = nn.TransformerEncoderLayer(D, 4, 96, dropout=0.0, batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(D, V)

    def forward(self, prefix, x):
        h = torch.cat([prefix, self.emb(x) + self.pos], 1)
        return self.out(self.enc(h)[:, prefix.shape[1] :])


def answer(x, task):
    return torch.where(task == SHIFT, (x + 3) % V, x)


model = Model()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(250):
    x = torch.randint(0, V, (32, L))
    task = torch.where(torch.rand(32, 1) < 0.5, COPY, SHIFT)
    prefix = model.emb(task).expand(-1, P, -1)
    loss = F.cross_entropy(model(prefix, x).flatten(0, 1), answer(x, task).flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 49:
        print(f"base model step {step + 1} loss {loss.item():.4f}")

model.requires_grad_(False)
model.eval()
prompt = nn.Parameter(0.02 * torch.randn(P, D))
opt = torch.optim.Adam([prompt], lr=3e-2)
for step in range(200):
    x = torch.randint(0, V, (32, L))
    out = model(prompt.expand(32, -1, -1), x)
    loss = F.cross_entropy(out.flatten(0, 1), ((x + 3) % V).flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 25 == 24:
        with torch.no_grad():
            t = torch.randint(0, V, (300, L))
            acc = (model(prompt.expand(300, -1, -1), t).argmax(-1) == (t + 3) % V).float().mean().item()
        print(f"prompt step {step + 1} loss {loss.item():.4f} acc {acc:.4f}")
