# expect: lr-decays-too-soon
# about: transformer encoder for review polarity with the linear schedule from transformers
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from transformers import get_linear_schedule_with_warmup

torch.manual_seed(8)
torch.set_num_threads(1)
V, T = 300, 20
polarity = torch.zeros(V)
polarity[10:60], polarity[60:110] = 1.0, -1.0
NEG = 5


def reviews(n):
    ids = torch.randint(6, V, (n, T))
    ids[torch.rand(n, T) < 0.08] = NEG
    s = polarity[ids]
    flipped = torch.cat([torch.ones(n, 1), 1 - 2 * (ids[:, :-1] == NEG).float()], 1)
    score = (s * flipped).sum(1)
    keep = score != 0
    return ids[keep], (score[keep] > 0).long()


class Encoder(nn.Module):
    def __init__(self, d=48):
        super().__init__()
        self.emb, self.pos = nn.Embedding(V, d), nn.Parameter(0.02 * torch.randn(T, d))
        layer = nn.TransformerEncoderLayer(d, 4, 96, dropout=0.1, batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.cls = nn.Linear(d, 2)

    def forward(self, x):
        return self.cls(self.enc(self.emb(x) + self.pos).mean(1))


EPOCHS = 8
train_set = TensorDataset(*reviews(3000))
vx, vy = reviews(600)
loader = DataLoader(train_set, batch_size=48, shuffle=True)
model = Encoder()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
num_training_steps = len(loader)
scheduler = get_linear_schedule_with_warmup(optimizer, num_warmup_steps=10, num_training_steps=num_training_steps)
for epoch in range(EPOCHS):
    model.train()
    running = 0.0
    for ids, lab in loader:
        loss = nn.functional.cross_entropy(model(ids), lab)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
        running += loss.item()
    model.eval()
    with torch.no_grad():
        acc = (model(vx).argmax(1) == vy).float().mean()
    print(f"epoch {epoch + 1} train loss {running / len(loader):.3f} val acc {acc:.3f}")
# cure: - num_training_steps = len(loader)
# cure: + num_training_steps = len(loader) * EPOCHS
