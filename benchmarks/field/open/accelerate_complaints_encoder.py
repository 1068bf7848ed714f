# expect: lr-too-high
# also: no-warmup
# about: Accelerate script with a small transformer encoder for complaint routing, rate set on the command line default
import argparse

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--learning_rate", type=float, default=5e-2)
parser.add_argument("--num_epochs", type=int, default=6)
parser.add_argument("--per_device_batch", type=int, default=32)
args = parser.parse_args()

torch.set_num_threads(1)
torch.manual_seed(3)
VOCAB, LEN, DEPTS = 120, 20, 6


def synthesize(n):
    y = torch.randint(0, DEPTS, (n,))
    x = torch.randint(40, VOCAB, (n, LEN))
    for k in range(4):
        pos = torch.randint(1, LEN, (n,))
        x[torch.arange(n), pos] = y * 6 + torch.randint(0, 6, (n,))
    x[:, 0] = 39
    return TensorDataset(x, y)


class Router(nn.Module):
    def __init__(self, d=48):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, d)
        self.pos = nn.Parameter(torch.randn(LEN, d) * 0.02)
        layer = nn.TransformerEncoderLayer(d, 4, 96, dropout=0.1, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(d, DEPTS)

    def forward(self, x):
        return self.head(self.enc(self.tok(x) + self.pos)[:, 0])


accelerator = Accelerator(cpu=True)
model = Router()
optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate, weight_decay=0.01)
train_loader = DataLoader(synthesize(1500), batch_size=args.per_device_batch, shuffle=True)
eval_loader = DataLoader(synthesize(400), batch_size=200)
model, optimizer, train_loader, eval_loader = accelerator.prepare(model, optimizer, train_loader, eval_loader)
criterion = nn.CrossEntropyLoss()
for epoch in range(args.num_epochs):
    model.train()
    running = 0.0
    for x, y in train_loader:
        loss = criterion(model(x), y)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        running += loss.item()
    model.eval()
    hit = tot = 0
    with torch.no_grad():
        for x, y in eval_loader:
            hit += (model(x).argmax(-1) == y).sum().item()
            tot += len(y)
    accelerator.print(f"epoch {epoch}: train_loss {running / len(train_loader):.4f} eval_accuracy {hit / tot:.4f}")
# cure: - parser.add_argument("--learning_rate", type=float, default=5e-2)
# cure: + parser.add_argument("--learning_rate", type=float, default=1e-3)
