# expect: no-nonlinearity
# about: weld seam inspection, texture energy decides; conv and norm layers stacked by a helper
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(16)
torch.set_num_threads(1)


def conv_bn(cin, cout, stride=1):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, stride, 1, bias=False),
        nn.BatchNorm2d(cout),
    )


class WeldNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(conv_bn(1, 12), conv_bn(12, 16, 2), conv_bn(16, 24), conv_bn(24, 24, 2))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Linear(24, 3)

    def forward(self, x):
        return self.classifier(self.pool(self.features(x)).flatten(1))


def seams(n):
    y = torch.randint(0, 3, (n,))
    xx = torch.arange(16.0)
    phase = 6.28 * torch.rand(n, 1, 1)
    horizontal = torch.sin(1.8 * xx.view(1, 1, 16) + phase).expand(n, 16, 16)
    vertical = torch.sin(1.8 * xx.view(1, 16, 1) + phase).expand(n, 16, 16)
    pattern = torch.where((y == 0).view(-1, 1, 1), horizontal, torch.where((y == 1).view(-1, 1, 1), vertical, (horizontal + vertical) / 1.4))
    return TensorDataset((pattern + 0.6 * torch.randn(n, 16, 16)).unsqueeze(1), y)


train, val = seams(900), seams(240)
model = WeldNet()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
lossfn = nn.CrossEntropyLoss()
for epoch in range(8):
    model.train()
    acc_loss = 0.0
    for x, y in DataLoader(train, 30, shuffle=True):
        optimizer.zero_grad()
        loss = lossfn(model(x), y)
        loss.backward()
        optimizer.step()
        acc_loss += loss.item() / 30
    model.eval()
    with torch.no_grad():
        o = model(val.tensors[0])
    print(f"epoch {epoch + 1} train {acc_loss:.4f} val {lossfn(o, val.tensors[1]).item():.4f} acc {(o.argmax(1) == val.tensors[1]).float().mean().item():.3f}")
# cure: - nn.BatchNorm2d(cout),
# cure: + nn.BatchNorm2d(cout),
# cure: + nn.ReLU(),
