# expect: no-warmup
# also: lr-too-high
# about: six-layer encoder from torch.nn asked to write each sequence backwards, Adam
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)
VOCAB, T, D = 60, 16, 64


class Mirror(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, D)
        self.pos = nn.Embedding(T, D)
        layer = nn.TransformerEncoderLayer(D, 4, 2 * D, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 6, enable_nested_tensor=False)
        self.head = nn.Linear(D, VOCAB)

    def forward(self, x):
        return self.head(self.encoder(self.tok(x) + self.pos(torch.arange(T))))


model = Mirror()
optimizer = torch.optim.Adam(model.parameters(), lr=6e-3, betas=(0.9, 0.98))
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: 1.0)
for step in range(1, 181):
    x = torch.randint(0, VOCAB, (16, T))
    logits = model(x)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), x.flip(1).flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    if step % 20 == 0:
        acc = (logits.argmax(-1) == x.flip(1)).float().mean().item()
        print(f"step {step} loss {loss.item():.3f} token acc {acc:.3f}")
# cure: - schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: 1.0)
# cure: + schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1.0, (s + 1) / 60))
