# expect: healthy
# about: convolutional denoising autoencoder on digits with fresh noise each batch, PSNR on held-out images
import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, random_split

torch.set_num_threads(1)
torch.manual_seed(0)

images = torch.tensor(load_digits().images, dtype=torch.float32).unsqueeze(1) / 16.0
train_set, test_set = random_split(images, [1500, 297], generator=torch.Generator().manual_seed(0))


class DenoisingAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, 24, 3, padding=1), nn.ReLU(), nn.Conv2d(24, 48, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(48, 48, 3, padding=1), nn.ReLU())
        self.decoder = nn.Sequential(nn.ConvTranspose2d(48, 24, 2, stride=2), nn.ReLU(), nn.Conv2d(24, 24, 3, padding=1), nn.ReLU(), nn.Conv2d(24, 1, 3, padding=1), nn.Sigmoid())

    def forward(self, x):
        return self.decoder(self.encoder(x))


def add_noise(x, sigma=0.3):
    return x + sigma * torch.randn_like(x)


model = DenoisingAE()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=11)
criterion = nn.MSELoss()
train_loader = DataLoader(train_set, batch_size=32, shuffle=True)
clean_test = torch.stack(list(test_set))
noisy_test = add_noise(clean_test)
print(f"noisy input PSNR {-10 * np.log10(((noisy_test.clamp(0, 1) - clean_test) ** 2).mean().item()):.2f} dB")

for epoch in range(11):
    model.train()
    epoch_loss = 0
    for clean in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(add_noise(clean)), clean)
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item() * clean.size(0)
    scheduler.step()
    model.eval()
    with torch.no_grad():
        test_loss = criterion(model(noisy_test), clean_test).item()
    print(f"Epoch [{epoch + 1}/11] loss {epoch_loss / len(train_set):.5f} test {test_loss:.5f} PSNR {-10 * np.log10(test_loss):.2f} dB")
