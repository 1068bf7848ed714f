"""Benign or malignant: breast cancer measurements, in the manner of a LightningModule run by a tiny inner loop."""

import torch
import torch.nn as nn
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

SEED = 0


class CancerClassifier(nn.Module):
    def __init__(self, n_features, learning_rate=2e-3):
        super().__init__()
        self.learning_rate = learning_rate
        self.net = nn.Sequential(
            nn.Linear(n_features, 24),
            nn.Tanh(),
            nn.Linear(24, 12),
            nn.Tanh(),
            nn.Linear(12, 1),
            nn.Sigmoid(),
        )
        self.loss = nn.BCELoss()

    def forward(self, x):
        return self.net(x).squeeze(1)

    def training_step(self, batch):
        x, y = batch
        probability = self(x)
        return self.loss(probability, y)

    def validation_step(self, batch):
        x, y = batch
        probability = self(x)
        accuracy = ((probability > 0.5) == (y > 0.5)).float().mean()
        return self.loss(probability, y), accuracy

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=self.learning_rate)
        return optimizer, torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.88)


def fit(module, train_loader, val_loader, epochs):
    optimizer, scheduler = module.configure_optimizers()
    for epoch in range(epochs):
        module.train()
        epoch_losses = []
        for batch in train_loader:
            loss = module.training_step(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            epoch_losses.append(loss.detach())
        train_loss = torch.stack(epoch_losses).mean().item()
        scheduler.step()
        module.eval()
        with torch.no_grad():
            results = [module.validation_step(batch) for batch in val_loader]
        val_loss = sum(loss.item() for loss, _ in results) / len(results)
        val_acc = sum(acc.item() for _, acc in results) / len(results)
        print({"epoch": epoch, "train_loss": round(train_loss, 4), "val_loss": round(val_loss, 4), "val_acc": val_acc})
    return train_loss, val_loss, val_acc


def main():
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    X, y = load_breast_cancer(return_X_y=True)
    X_train, X_val, y_train, y_val = train_test_split(X, y, test_size=0.25, random_state=SEED, stratify=y)
    scaler = StandardScaler().fit(X_train)
    X_train = scaler.transform(X_train)
    X_val = scaler.transform(X_val)
    train_set = TensorDataset(torch.tensor(X_train).float(), torch.tensor(y_train).float())
    val_set = TensorDataset(torch.tensor(X_val).float(), torch.tensor(y_val).float())
    train_loader = DataLoader(train_set, batch_size=16, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=len(val_set))
    module = CancerClassifier(X_train.shape[1])
    train_loss, val_loss, val_acc = fit(module, train_loader, val_loader, epochs=18)
    print(f"FINAL train_loss={train_loss:.5f} val_loss={val_loss:.5f} quality={val_acc:.4f}")


if __name__ == "__main__":
    main()
