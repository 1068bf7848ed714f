# expect: lr-too-high
# about: GRU classifier on token sequences with Adam at a rate typed for SGD; loss jumps around near chance
import torch
import torch.nn as nn

torch.manual_seed(12)
torch.set_num_threads(1)
VOCAB, LEN = 30, 14


def generate(n):
    x = torch.randint(1, VOCAB, (n, LEN))
    first = (x == 7).int().cumsum(1).clamp(max=1).sum(1)
    second = (x == 13).int().cumsum(1).clamp(max=1).sum(1)
    y = (first > second).long() + 2 * ((x < 10).sum(1) > 4).long()
    return x, y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, 16)
        self.gru = nn.GRU(16, 32, batch_first=True)
        self.fc = nn.Linear(32, 4)

    def forward(self, x):
        _, h = self.gru(self.embed(x))
        return self.fc(h[-1])


X, y = generate(2000)
Xv, yv = generate(500)
model = Net()
opt = torch.optim.Adam(model.parameters(), lr=0.25)
lossf = nn.CrossEntropyLoss()
for epoch in range(10):
    model.train()
    s = 0
    for idx in torch.randperm(2000).split(64):
        opt.zero_grad()
        l = lossf(model(X[idx]), y[idx])
        l.backward()
        opt.step()
        s += l.item() * len(idx)
    model.eval()
    with torch.no_grad():
        p = model(Xv)
        print(f"Epoch {epoch}: loss={s / 2000:.4f} val_loss={lossf(p, yv).item():.4f} val_acc={(p.argmax(1) == yv).float().mean().item():.3f}")
# cure: - opt = torch.optim.Adam(model.parameters(), lr=0.25)
# cure: + opt = torch.optim.Adam(model.parameters(), lr=0.005)
