"""Deep residual MLP on a generated nonlinear classification problem."""

import math

import torch
from sklearn.datasets import make_classification
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 0


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.up = nn.Linear(dim, dim * 2)
        self.act = nn.GELU()
        self.down = nn.Linear(dim * 2, dim)

    def forward(self, x):
        h = self.norm(x)
        h = self.act(self.up(h))
        return x + self.down(h)


class ResNet(nn.Module):
    def __init__(self, features, classes, dim=32, depth=10):
        super().__init__()
        self.stem = nn.Linear(features, dim)
        self.blocks = nn.Sequential(*[Block(dim) for _ in range(depth)])
        self.head = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, classes))

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)))


class Trainer:
    def __init__(self, model, train_loader, val_loader, epochs):
        self.model = model
        self.train_loader = train_loader
        self.val_loader = val_loader
        self.epochs = epochs
        self.loss_fn = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
        self.total_steps = epochs * len(train_loader)
        self.warmup_steps = 20
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, self.lr_factor)

    def lr_factor(self, step):
        if step < self.warmup_steps:
            return (step + 1) / self.warmup_steps
        progress = (step - self.warmup_steps) / max(1, self.total_steps - self.warmup_steps)
        return 0.5 * (1 + math.cos(math.pi * progress))

    def train_step(self, batch):
        inputs, targets = batch
        self.optimizer.zero_grad(set_to_none=True)
        outputs = self.model(inputs)
        loss = self.loss_fn(outputs, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), max_norm=5.0)
        self.optimizer.step()
        self.scheduler.step()
        return loss.item()

    def validate(self):
        self.model.eval()
        losses, hits, seen = 0.0, 0, 0
        with torch.no_grad():
            for inputs, targets in self.val_loader:
                outputs = self.model(inputs)
                losses += self.loss_fn(outputs, targets).item() * len(targets)
                hits += (outputs.argmax(dim=-1) == targets).sum().item()
                seen += len(targets)
        return losses / seen, hits / seen

    def fit(self):
        for epoch in range(1, self.epochs + 1):
            self.model.train()
            history = [self.train_step(batch) for batch in self.train_loader]
            train_loss = sum(history) / len(history)
            val_loss, val_acc = self.validate()
            print(f"epoch={epoch} train_loss={train_loss:.4f} val_loss={val_loss:.4f} val_acc={val_acc:.4f}")
        return train_loss, val_loss, val_acc


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    X, y = make_classification(
        n_samples=3600, n_features=16, n_informative=9, n_classes=4, class_sep=1.6, flip_y=0.0, random_state=SEED
    )
    X = torch.tensor((X - X.mean(0)) / X.std(0), dtype=torch.float32)
    y = torch.tensor(y, dtype=torch.long)
    train_data = TensorDataset(X[:2600], y[:2600])
    val_data = TensorDataset(X[2600:], y[2600:])
    train_loader = DataLoader(train_data, batch_size=64, shuffle=True, drop_last=True)
    val_loader = DataLoader(val_data, batch_size=200, shuffle=False)
    model = ResNet(features=16, classes=4)
    train_loss, val_loss, val_acc = Trainer(model, train_loader, val_loader, epochs=6).fit()
    print(f"FINAL train_loss={train_loss:.5f} val_loss={val_loss:.5f} quality={val_acc:.4f}")
