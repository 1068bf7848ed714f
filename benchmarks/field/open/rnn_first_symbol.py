# expect: vanishing-gradients
# about: plain tanh RNN must name the first symbol of a sequence of 60
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def make(n, T=60):
    c = torch.randint(0, 4, (n,))
    x = 0.3 * torch.randn(n, T, 5)
    x[torch.arange(n), 0, c] += 2
    return x, c


class First(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(5, 24, batch_first=True)
        self.fc = nn.Linear(24, 4)

    def forward(self, x):
        h = self.rnn(x)[0]
        return self.fc(h[:, -1])


net = First()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
xv, cv = make(300)
for step in range(1, 401):
    x, c = make(24)
    loss = nn.functional.cross_entropy(net(x), c)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 40 == 0:
        with torch.no_grad():
            o = net(xv)
        print(f"step {step} loss {loss.item():.4f} val {nn.functional.cross_entropy(o, cv).item():.4f} acc {(o.argmax(1) == cv).float().mean().item():.3f}")
# cure: - return self.fc(h[:, -1])
# cure: + return self.fc(h.amax(1))
