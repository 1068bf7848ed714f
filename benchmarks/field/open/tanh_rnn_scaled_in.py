# expect: init-too-large
# about: tanh RNN whose weights are multiplied by 10 "to keep memory": units sit at plus or minus one
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(1500, 15, 2)
y = (0.3 * x[:, -6:, 0].sum(1) + 0.5 * x[:, -1, 1])[:, None]


class Memory(nn.Module):
    def __init__(self, gain):
        super().__init__()
        self.rnn = nn.RNN(2, 32, batch_first=True)
        with torch.no_grad():
            self.rnn.weight_hh_l0.mul_(gain)
            self.rnn.weight_ih_l0.mul_(gain)
        self.out = nn.Linear(32, 1)

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1])


net = Memory(gain=10.0)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(15):
    tot = 0.0
    for b in torch.randperm(1200).split(40):
        loss = nn.functional.mse_loss(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        tot += loss.item() / 30
    with torch.no_grad():
        print(f"epoch {epoch} train {tot:.4f} val {nn.functional.mse_loss(net(x[1200:]), y[1200:]).item():.4f}")
# cure: - net = Memory(gain=10.0)
# cure: + net = Memory(gain=1.0)
