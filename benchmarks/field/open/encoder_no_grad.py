# expect: detached-graph
# about: "to save memory" the encoder runs under no_grad although it is to be trained
# also: frozen-layers, params-not-in-optimizer
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)
T, V = 20, 12


def batch(n):
    x = torch.randint(0, V, (n, T))
    return x, x[:, -4]  # which symbol came four places before the end


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, 16)
        self.rnn = nn.GRU(16, 40, batch_first=True)
        self.cls = nn.Linear(40, V)

    @torch.no_grad()
    def encode(self, x):
        return self.rnn(self.emb(x))[1][0]

    def forward(self, x):
        h = self.encode(x)
        return self.cls(h)


net = Tagger()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for step in range(600):
    x, y = batch(64)
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 99:
        with torch.no_grad():
            xv, yv = batch(500)
            print(step + 1, "loss %.4f" % loss.item(), "acc %.3f" % (net(xv).argmax(1) == yv).float().mean().item())
# cure: - @torch.no_grad()
# cure: + # trained, so with gradients
