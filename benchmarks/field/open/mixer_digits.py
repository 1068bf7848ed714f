# expect: lr-too-high
# also: no-warmup
# about: MLP-Mixer on 8x8 digits with AdamW at 0.1
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(7)
torch.set_num_threads(1)


class Block(nn.Module):
    def __init__(self, tokens, dim):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.tok = nn.Sequential(nn.Linear(tokens, 32), nn.GELU(), nn.Linear(32, tokens))
        self.ch = nn.Sequential(nn.Linear(dim, 64), nn.GELU(), nn.Linear(64, dim))

    def forward(self, x):
        x = x + self.tok(self.n1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.ch(self.n2(x))


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Conv2d(1, 32, 2, stride=2)
        self.blocks = nn.Sequential(Block(16, 32), Block(16, 32), Block(16, 32))
        self.head = nn.Linear(32, 10)

    def forward(self, img):
        x = self.embed(img).flatten(2).transpose(1, 2)
        return self.head(self.blocks(x).mean(1))


d = load_digits()
ds = TensorDataset(torch.tensor(d.images, dtype=torch.float32)[:, None] / 8 - 1, torch.tensor(d.target))
train, test = random_split(ds, [1500, 297])
loader = DataLoader(train, batch_size=50, shuffle=True)
test_loader = DataLoader(test, batch_size=297)
model = Mixer()
LEARNING_RATE = 0.1
optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=0.01)
for epoch in range(10):
    model.train()
    running = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        running += loss.item()
    model.eval()
    with torch.no_grad():
        x, y = next(iter(test_loader))
        out = model(x)
        print(f"[{epoch + 1}/10] loss {running / len(loader):.4f} test loss {nn.functional.cross_entropy(out, y):.4f} acc {(out.argmax(1) == y).float().mean():.4f}")
# cure: - LEARNING_RATE = 0.1
# cure: + LEARNING_RATE = 0.002
