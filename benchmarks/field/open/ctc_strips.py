# expect: healthy
# about: CTC on strips of noisy symbols, bidirectional GRU
import torch
import torch.nn as nn

torch.manual_seed(5)
torch.set_num_threads(1)
K = 6  # symbols 1..5, blank 0
protos = torch.randn(K, 8) * 1.5
protos[0] = 0


def sample(n, T=20, L=4):
    labels = torch.randint(1, K, (n, L))
    x = torch.zeros(n, T, 8)
    for i in range(n):
        starts = torch.arange(L) * 5 + torch.randint(0, 3, (L,))
        for s, c in zip(starts.tolist(), labels[i].tolist()):
            x[i, s : s + 2] = protos[c]
    return x + 0.3 * torch.randn_like(x), labels


class Recogniser(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 32, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(64, K)

    def forward(self, x):
        return self.fc(self.rnn(x)[0]).log_softmax(-1).transpose(0, 1)


net = Recogniser()
ctc = nn.CTCLoss(blank=0, zero_infinity=True)
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
in_len, tg_len = torch.full((32,), 20), torch.full((32,), 4)
xv, yv = sample(64)


def decode(lp):
    out = []
    for seq in lp.argmax(-1).T.tolist():
        out.append([c for k, c in enumerate(seq) if c and (k == 0 or seq[k - 1] != c)])
    return out


for step in range(300):
    x, y = sample(32)
    loss = ctc(net(x), y, in_len, tg_len)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 10.0)
    opt.step()
    if step % 50 == 49:
        net.eval()
        with torch.no_grad():
            lp = net(xv)
            vloss = ctc(lp, yv, torch.full((64,), 20), torch.full((64,), 4))
        exact = sum(a == b for a, b in zip(decode(lp), yv.tolist())) / 64
        net.train()
        print(f"{step + 1}: ctc {loss.item():.4f} val {vloss.item():.4f} exact {exact:.2f}")
