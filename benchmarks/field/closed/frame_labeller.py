# expect: softmax-wrong-axis
# about: sequence labeller returns log of nn.Softmax(dim=1) on (batch, time, classes), so it normalises over time
import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(15)
C, T = 6, 12


def make(n):
    x = torch.randn(n, T, 8)
    proj = torch.linspace(-1, 1, 8)
    s = (x @ proj) + 0.6 * torch.roll(x[..., 0], 1, dims=1)
    edges = torch.tensor([-2.2, -1.0, 0.0, 1.0, 2.2])
    return x, torch.bucketize(s, edges)


class Labeller(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(8, 48, 3, padding=1)
        self.out = nn.Linear(48, C)
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        h = torch.relu(self.conv(x.transpose(1, 2))).transpose(1, 2)
        return torch.log(self.softmax(self.out(h)) + 1e-9)


x, y = make(1200)
xv, yv = make(300)
model = Labeller()
nll = nn.NLLLoss()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(10):
    run = 0
    for b in torch.randperm(1200).split(30):
        out = model(x[b])
        loss = nll(out.reshape(-1, C), y[b].reshape(-1))
        opt.zero_grad()
        loss.backward()
        opt.step()
        run += loss.item() / 40
    with torch.no_grad():
        o = model(xv)
    print(f"Epoch {epoch + 1:02d} loss {run:.4f} val {nll(o.reshape(-1, C), yv.reshape(-1)).item():.4f} frame acc {(o.argmax(-1) == yv).float().mean().item():.3f}")
# cure: - self.softmax = nn.Softmax(dim=1)
# cure: + self.softmax = nn.Softmax(dim=-1)
