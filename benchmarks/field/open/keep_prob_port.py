# expect: over-regularized
# about: sentence-pair classifier ported from another framework, hyperparameters in a namespace
import types

import torch
import torch.nn as nn

hp = types.SimpleNamespace(keep_prob=0.85, emb=32, hidden=64, lr=1e-3, epochs=6, batch=32)
torch.manual_seed(72)
torch.set_num_threads(1)
V, T = 120, 6


def data(n):
    a = torch.randint(0, V, (n, T))
    y = torch.randint(0, 3, (n,))
    shift = torch.tensor([0, 7, 31])[y]
    noise = torch.randint(0, V, (n, T))
    b = torch.where(torch.rand(n, T) < 0.15, noise, (a + shift[:, None]) % V)
    b[y == 2] = torch.randint(0, V, (int((y == 2).sum()), T))
    return a % V, b, y


class PairNet(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.emb = nn.Embedding(V, hp.emb)
        self.drop = nn.Dropout(hp.keep_prob)
        self.rnn = nn.GRU(2 * hp.emb, hp.hidden, batch_first=True)
        self.fc1, self.fc2 = nn.Linear(hp.hidden, hp.hidden), nn.Linear(hp.hidden, 3)

    def forward(self, a, b):
        pair = self.drop(torch.cat([self.emb(a), self.emb(b)], -1))
        h = self.rnn(pair)[1][-1]
        return self.fc2(self.drop(torch.relu(self.fc1(self.drop(h)))))


net = PairNet(hp)
opt = torch.optim.Adam(net.parameters(), lr=hp.lr)
A, B, Y = data(4000)
VA, VB, VY = data(600)
for epoch in range(hp.epochs):
    net.train()
    tot = 0.0
    for i in torch.randperm(4000).split(hp.batch):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(A[i], B[i]), Y[i])
        loss.backward()
        opt.step()
        tot += loss.item() * len(i)
    net.eval()
    with torch.no_grad():
        o = net(VA, VB)
    print(f"epoch {epoch + 1} train {tot / 4000:.3f} val {nn.functional.cross_entropy(o, VY):.3f} acc {(o.argmax(1) == VY).float().mean():.3f}")
# cure: - self.drop = nn.Dropout(hp.keep_prob)
# cure: + self.drop = nn.Dropout(1 - hp.keep_prob)
