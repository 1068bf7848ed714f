# expect: no-warmup
# also: lr-too-high
# about: deep post-norm transformer LM at full rate from step 0; with a ramp the same rate works
import inspect
import textwrap as lib
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
text = inspect.getsource(lib)
chars = sorted(set(text))
data = torch.tensor([chars.index(c) for c in text])
CTX, BS, D, STEPS = 32, 16, 64, 300
LR, WARMUP = 4e-3, 0


class LM(nn.Module):
    def __init__(self, vocab, layers=6):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, D), nn.Embedding(CTX, D)
        layer = nn.TransformerEncoderLayer(D, 4, 128, dropout=0.0, batch_first=True)
        self.blocks = nn.TransformerEncoder(layer, layers)
        self.head = nn.Linear(D, vocab)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(CTX))

    def forward(self, x):
        h = self.tok(x) + self.pos(torch.arange(x.shape[1]))
        return self.head(self.blocks(h, mask=self.mask, is_causal=True))


model = LM(len(chars))
optimizer = torch.optim.Adam(model.parameters(), lr=LR, betas=(0.9, 0.98))
for step in range(STEPS):
    for g in optimizer.param_groups:
        g["lr"] = LR * min(1.0, (step + 1) / max(1, WARMUP))
    i = torch.randint(0, len(data) - CTX - 1, (BS,))
    x = torch.stack([data[j : j + CTX] for j in i])
    y = torch.stack([data[j + 1 : j + CTX + 1] for j in i])
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 29:
        print(step + 1, round(loss.item(), 4))
# cure: - LR, WARMUP = 4e-3, 0
# cure: + LR, WARMUP = 4e-3, 150
