# expect: detached-graph
# about: two-branch price model: the image branch is wrapped in torch.tensor(...) when its features are merged
import warnings

import torch
from torch import nn

warnings.filterwarnings("ignore")
torch.manual_seed(2)
torch.set_num_threads(1)
tab = torch.randn(1500, 4)
img = torch.randn(1500, 1, 8, 8)
signal = torch.randn(1, 1, 3, 3)
act = torch.nn.functional.conv2d(img, signal).abs().mean((1, 2, 3))
price = (0.3 * tab[:, 0] + (act - act.mean()) / act.std()).unsqueeze(1)


class TwoBranch(nn.Module):
    def __init__(self):
        super().__init__()
        self.cnn = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.mlp = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.top = nn.Linear(16, 1)

    def forward(self, tab, img):
        f = self.cnn(img)
        merged = torch.tensor(f)
        return self.top(torch.cat([self.mlp(tab), merged], 1))


net = TwoBranch()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(20):
    run = 0.0
    for b in torch.randperm(1200).split(30):
        loss = nn.functional.mse_loss(net(tab[b], img[b]), price[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        run += loss.item() / 40
    with torch.no_grad():
        v = nn.functional.mse_loss(net(tab[1200:], img[1200:]), price[1200:]).item()
    print(f"epoch {epoch} train {run:.4f} val {v:.4f}")
# cure: - merged = torch.tensor(f)
# cure: + merged = f
