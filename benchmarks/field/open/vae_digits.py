# expect: healthy
# about: VAE after the PyTorch example, loss summed over the batch (large numbers), Adam
import torch
from torch import nn, optim
from torch.nn import functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader

torch.manual_seed(1)
torch.set_num_threads(1)
images = torch.tensor(load_digits().images, dtype=torch.float32) / 16
train_loader = DataLoader(images[:1500], batch_size=64, shuffle=True)
test_loader = DataLoader(images[1500:], batch_size=64)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 96)
        self.fc21 = nn.Linear(96, 8)
        self.fc22 = nn.Linear(96, 8)
        self.fc3 = nn.Linear(8, 96)
        self.fc4 = nn.Linear(96, 64)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + torch.randn_like(std) * std

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 64))
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


model = VAE()
optimizer = optim.Adam(model.parameters(), lr=2e-3)


def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 64), reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD


for epoch in range(1, 31):
    model.train()
    train_loss = 0
    for data in train_loader:
        optimizer.zero_grad()
        recon, mu, logvar = model(data)
        loss = loss_function(recon, data, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
    model.eval()
    test_loss = 0
    with torch.no_grad():
        for data in test_loader:
            recon, mu, logvar = model(data)
            test_loss += loss_function(recon, data, mu, logvar).item()
    print(f"====> Epoch: {epoch} Average loss: {train_loss / 1500:.4f} test: {test_loss / 297:.4f}")
