# expect: missing-zero-grad
# about: zero_grad stands outside the batch loop (once per epoch), RNN regression with momentum
# also: unscaled-accumulation
import torch
from torch import nn


class Cfg:
    epochs, bs, lr = 15, 32, 0.05


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(3, 24, batch_first=True)
        self.lin = nn.Linear(24, 1)

    def forward(self, x):
        return self.lin(self.rnn(x)[0][:, -1]).squeeze(-1)


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(1500, 8, 3)
y = torch.tanh((X[:, -3:] * torch.tensor([1.0, -0.5, 0.3])).sum((1, 2))) + 0.05 * torch.randn(1500)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=Cfg.lr, momentum=0.9)
for epoch in range(Cfg.epochs):
    opt.zero_grad()
    for b in torch.randperm(1200).split(Cfg.bs):
        loss = nn.functional.mse_loss(net(X[b]), y[b])
        loss.backward()
        opt.step()
    with torch.no_grad():
        print(f"epoch {epoch} loss {loss.item():.4f} val {nn.functional.mse_loss(net(X[1200:]), y[1200:]).item():.4f}")
# cure: - loss = nn.functional.mse_loss(net(X[b]), y[b])
# cure: + opt.zero_grad()
# cure: + loss = nn.functional.mse_loss(net(X[b]), y[b])
