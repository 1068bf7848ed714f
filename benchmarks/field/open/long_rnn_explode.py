# expect: exploding-gradients
# about: ReLU RNN over 40 steps with identity-like recurrence and no clipping
# also: lr-too-high, dead-relus
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)
T = 40


def totals(n):
    x = torch.rand(n, T, 2)
    return x, (x[:, :, 0] - x[:, :, 1]).sum(1) / 3


class IRNN(nn.Module):
    def __init__(self, h=32):
        super().__init__()
        self.rnn = nn.RNN(2, h, nonlinearity="relu", batch_first=True)
        nn.init.eye_(self.rnn.weight_hh_l0)
        nn.init.normal_(self.rnn.weight_ih_l0, std=0.05)
        nn.init.zeros_(self.rnn.bias_hh_l0)
        nn.init.zeros_(self.rnn.bias_ih_l0)
        self.out = nn.Linear(h, 1)

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1]).squeeze(1)


net = IRNN()
opt = torch.optim.SGD(net.parameters(), lr=0.003, momentum=0.9)
CLIP = float("inf")
for step in range(600):
    x, y = totals(32)
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    if CLIP < 1e6:
        nn.utils.clip_grad_norm_(net.parameters(), CLIP)
    opt.step()
    if step % 60 == 59:
        print(step + 1, "mse", round(loss.item(), 4))
# cure: - CLIP = float("inf")
# cure: + CLIP = 0.5
