# expect: exploding-gradients
# also: lr-too-high
import torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(0)
T, B, H = 60, 32, 64
def batch(n, g=None):
    v = torch.rand(n, T, generator=g)
    m = (torch.rand(n, T, generator=g) < .15).float()
    return torch.stack([v, m], -1), (v * m).sum(1) - 4.5

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(2, H, nonlinearity="relu", batch_first=True)
        self.fc = nn.Linear(H, 1)
        nn.init.eye_(self.rnn.weight_hh_l0)
        nn.init.normal_(self.rnn.weight_ih_l0, 0, .05)
        nn.init.zeros_(self.rnn.bias_hh_l0); nn.init.zeros_(self.rnn.bias_ih_l0)
    def forward(self, x):
        h, _ = self.rnn(x)
        return self.fc(h[:, -1]).squeeze(1)

net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
xv, yv = batch(500, torch.Generator().manual_seed(99))
for it in range(800):
    x, y = batch(B)
    loss = F.mse_loss(net(x), y)
    opt.zero_grad(); loss.backward()
    opt.step()
    if it % 100 == 99:
        with torch.no_grad(): print(it, loss.item(), "val mse", F.mse_loss(net(xv), yv).item())
