# expect: lr-too-high
# about: transformer encoder classifier with Adam at 0.03 stays at chance
# also: no-warmup
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)
VOCAB, T = 30, 16


def data(n):
    x = torch.randint(0, VOCAB, (n, T))
    return x, ((x < 6).sum(1) > (x >= 24).sum(1)).long()


xt, yt = data(2500)
xv, yv = data(500)


class Classifier(nn.Module):
    def __init__(self, d=48):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, d)
        self.pos = nn.Parameter(torch.zeros(1, T, d))
        self.enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(d, 4, 96, 0.1, batch_first=True), 2)
        self.out = nn.Linear(d, 2)

    def forward(self, x):
        return self.out(self.enc(self.embed(x) + self.pos).mean(1))


model = Classifier()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.03)
for epoch in range(5):
    model.train()
    losses = []
    for b in torch.randperm(2500).split(50):
        optimizer.zero_grad()
        loss = criterion(model(xt[b]), yt[b])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        out = model(xv)
    print(f"epoch {epoch}: train {sum(losses)/len(losses):.4f} val {criterion(out, yv).item():.4f} acc {(out.argmax(1) == yv).float().mean().item():.3f}")
# cure: - optimizer = torch.optim.Adam(model.parameters(), lr=0.03)
# cure: + optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
