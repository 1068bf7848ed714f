# expect: vanishing-gradients
# about: plain tanh RNN has to remember the first symbol over 60 steps; stays at chance
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(1)
K, T = 4, 60


def make(n):
    x = torch.randint(K, (n, T))
    oh = F.one_hot(x, K).float()
    oh[:, 1:] = oh[:, 1:] * 0.1
    return oh, x[:, 0]


class Recall(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.rnn = nn.RNN(K, hidden, batch_first=True)
        self.readout = nn.Linear(hidden, K)

    def forward(self, x):
        out, _ = self.rnn(x)
        return self.readout(out[:, -1])


net = Recall()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
run = None
for it in range(300):
    x, y = make(50)
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    run = loss.item() if run is None else 0.95 * run + 0.05 * loss.item()
    if it % 30 == 29:
        with torch.no_grad():
            x, y = make(300)
            acc = (net(x).argmax(1) == y).float().mean().item()
        print(it + 1, "loss", round(run, 4), "accuracy", round(acc, 3))
# cure: - self.rnn = nn.RNN(K, hidden, batch_first=True)
# cure: + self.rnn = nn.LSTM(K, hidden, batch_first=True)
# cure: + with torch.no_grad():
# cure: +     self.rnn.bias_hh_l0[hidden:2 * hidden] = 3.0
