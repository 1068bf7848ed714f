# expect: output-range-mismatch
# about: convolutional autoencoder on digit scans normalised with mean and std, decoder copied from a tutorial
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def get_loaders(batch_size):
    imgs = torch.tensor(load_digits().images, dtype=torch.float32).unsqueeze(1)
    imgs = (imgs - imgs.mean()) / imgs.std()
    g = torch.Generator().manual_seed(1)
    imgs = imgs[torch.randperm(len(imgs), generator=g)]
    return DataLoader(TensorDataset(imgs[:1500]), batch_size, shuffle=True), DataLoader(TensorDataset(imgs[1500:]), 297)


class Autoencoder(nn.Module):
    def __init__(self, code=16):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 16, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(),
            nn.Flatten(), nn.Linear(128, code),
        )
        self.decoder = nn.Sequential(
            nn.Linear(code, 128), nn.ReLU(), nn.Unflatten(1, (32, 2, 2)),
            nn.ConvTranspose2d(32, 16, 2, stride=2), nn.ReLU(),
            nn.ConvTranspose2d(16, 1, 2, stride=2),
            nn.Sigmoid(),
        )

    def forward(self, x):
        return self.decoder(self.encoder(x))


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    train_loader, test_loader = get_loaders(32)
    model = Autoencoder()
    loss_fn = nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-6)
    for epoch in range(12):
        for (img,) in train_loader:
            recon = model(img)
            loss = loss_fn(recon, img)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            test = sum(loss_fn(model(i), i).item() for (i,) in test_loader) / len(test_loader)
        print(f"Epoch:{epoch + 1}, Loss:{loss.item():.4f}, Test:{test:.4f}")


if __name__ == "__main__":
    main()
# cure: - nn.Sigmoid(),
# cure: + nn.Identity(),
