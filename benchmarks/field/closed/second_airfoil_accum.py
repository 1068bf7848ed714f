# expect: unscaled-accumulation
# also: lr-too-high
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(8)
# synthetic physical regression problem
N = 3000
X = torch.randn(N, 10)
y = torch.sin(X[:, 0] * 2) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] ** 2 + 0.1 * torch.randn(N)
y = ((y - y.mean()) / y.std()).unsqueeze(1)
train_ds, val_ds = random_split(TensorDataset(X, y), [2500, 500])

MICRO_BATCH = 8
ACCUM_STEPS = 32  # effective batch of 256


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.criterion = nn.MSELoss()

    def fit(self, train_dl, val_dl, epochs):
        for epoch in range(epochs):
            self.model.train()
            total = 0.0
            self.opt.zero_grad()
            for i, (xb, yb) in enumerate(train_dl, 1):
                loss = self.criterion(self.model(xb), yb)
                loss.backward()
                total += loss.item()
                if i % ACCUM_STEPS == 0 or i == len(train_dl):
                    self.opt.step()
                    self.opt.zero_grad()
            if epoch % 5 == 4:
                print(f"epoch {epoch+1}: train {total/len(train_dl):.4f} val {self.validate(val_dl):.4f}")

    @torch.no_grad()
    def validate(self, dl):
        self.model.eval()
        return sum(self.criterion(self.model(x), t).item() * len(x) for x, t in dl) / len(dl.dataset)


model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
trainer = Trainer(model, lr=0.05)
trainer.fit(DataLoader(train_ds, MICRO_BATCH, shuffle=True), DataLoader(val_ds, 100), epochs=60)
