# expect: softmax-wrong-axis
# about: frame-wise phoneme recogniser, dilated convolutions, log-probabilities into NLL
import torch
import torch.nn as nn

torch.manual_seed(30)
torch.set_num_threads(1)
P, T, M = 8, 30, 12
proto = torch.randn(P, M)


def utterances(n):
    y = torch.randint(0, P, (n, T // 3)).repeat_interleave(3, 1)
    return proto[y] + 1.2 * torch.randn(n, T, M), y


class Recogniser(nn.Module):
    def __init__(self, c=32):
        super().__init__()
        self.net = nn.Sequential(nn.Conv1d(M, c, 3, padding=1), nn.ReLU(), nn.Conv1d(c, c, 3, padding=2, dilation=2), nn.ReLU(), nn.Conv1d(c, P, 1))

    def forward(self, x):
        scores = self.net(x.transpose(1, 2)).transpose(1, 2)
        return nn.functional.log_softmax(scores, dim=1)


rec = Recogniser()
opt = torch.optim.Adam(rec.parameters(), lr=3e-3)
nll = nn.NLLLoss()
xv, yv = utterances(150)
for step in range(1, 401):
    x, y = utterances(16)
    logp = rec(x)
    loss = nll(logp.reshape(-1, P), y.reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        with torch.no_grad():
            v = rec(xv)
        print(f"step {step} nll {loss.item():.3f} frame acc {(v.argmax(-1) == yv).float().mean():.3f}")
# cure: - return nn.functional.log_softmax(scores, dim=1)
# cure: + return nn.functional.log_softmax(scores, dim=-1)
