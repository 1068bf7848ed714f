# expect: unscaled-targets
# about: CNN that predicts the monthly rent in yen from small floor plans
import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader

torch.set_num_threads(1)
torch.manual_seed(33)


class FloorPlans(Dataset):
    """Rooms drawn as rectangles; the rent follows the floor area and the number of rooms."""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.zeros(n, 1, 20, 20)
        rooms = torch.randint(1, 5, (n,), generator=g)
        for i in range(n):
            for _ in range(int(rooms[i])):
                r, c = torch.randint(0, 12, (2,), generator=g).tolist()
                h, w = torch.randint(4, 9, (2,), generator=g).tolist()
                self.x[i, 0, r : r + h, c : c + w] = 1.0
        area = self.x.sum((1, 2, 3))
        self.rent = 42000 + 420 * area + 6000 * rooms + 2500 * torch.randn(n, generator=g)

    def __len__(self):
        return len(self.rent)

    def __getitem__(self, i):
        return self.x[i], self.rent[i]


class RentNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.fc1 = nn.Linear(16 * 25, 64)
        self.fc2 = nn.Linear(64, 1)

    def forward(self, x):
        x = self.pool(torch.relu(self.conv1(x)))
        x = self.pool(torch.relu(self.conv2(x)))
        x = torch.relu(self.fc1(x.flatten(1)))
        return self.fc2(x).squeeze(-1)


train, val = FloorPlans(900, 1), FloorPlans(200, 2)
net = RentNet()
UNIT = 1.0
optimizer = torch.optim.Adam(net.parameters(), lr=1e-4)
for epoch in range(10):
    net.train()
    for img, rent in DataLoader(train, batch_size=30, shuffle=True):
        loss = nn.functional.mse_loss(net(img), rent / UNIT)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        err = (net(val.x) * UNIT - val.rent).abs().mean()
    print(f"epoch {epoch + 1:2d}  last batch {loss.item():.4g}  validation error {err.item():,.0f} yen")
# cure: - UNIT = 1.0
# cure: + UNIT = 1e5
