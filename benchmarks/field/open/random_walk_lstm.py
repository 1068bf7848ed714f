# expect: scrambled-axes
# about: nn.LSTM built without batch_first is given (batch, time, feature): it runs over the batch
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(1500, 10, 3)
y = (x[:, :, 0].cumsum(1).amax(1) > 1.9).long()


class Walk(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 24)
        self.fc = nn.Linear(24, 2)

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.fc(out[:, -1])


net = Walk()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(10):
    tot = 0.0
    for b in torch.randperm(1200).split(30):
        loss = nn.functional.cross_entropy(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 40
    with torch.no_grad():
        o = net(x[1200:])
    print(f"epoch {epoch} train {tot:.4f} val {nn.functional.cross_entropy(o, y[1200:]).item():.4f} acc {(o.argmax(1) == y[1200:]).float().mean().item():.3f}")
# cure: - self.lstm = nn.LSTM(3, 24)
# cure: + self.lstm = nn.LSTM(3, 24, batch_first=True)
