# expect: leaked-validation
# also: overfitting
# about: default risk model with separate loader functions for training and validation, final check on the next cohort
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(77)
torch.set_num_threads(1)


def cohort(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 25, generator=g)
    p = torch.sigmoid(x[:, 0] + 0.7 * x[:, 1] - 0.5)
    return TensorDataset(x, torch.bernoulli(p, generator=g))


dataset, next_cohort = cohort(600, 1), cohort(500, 2)


def train_dataloader():
    train, _ = random_split(dataset, [480, 120], generator=torch.Generator().manual_seed(0))
    return DataLoader(train, batch_size=24, shuffle=True)


def val_dataloader():
    _, val = random_split(dataset, [480, 120], generator=torch.Generator().manual_seed(1))
    return DataLoader(val, batch_size=120)


model = nn.Sequential(nn.Linear(25, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 1), nn.Flatten(0))
bce = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
best, best_state = float("inf"), None
for epoch in range(40):
    model.train()
    for x, y in train_dataloader():
        optimizer.zero_grad()
        loss = bce(model(x), y)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        x, y = next(iter(val_dataloader()))
        out = model(x)
        val = bce(out, y).item()
    if val < best:
        best, best_state = val, {k: v.clone() for k, v in model.state_dict().items()}
    if epoch % 4 == 3:
        print(f"epoch {epoch + 1} train {loss.item():.4f} val {val:.4f} val acc {((out > 0) == (y > 0)).float().mean().item():.3f}")
model.load_state_dict(best_state)
with torch.no_grad():
    x, y = next_cohort.tensors
    out = model(x)
print(f"best val {best:.4f}; next cohort loss {bce(out, y).item():.4f} acc {((out > 0) == (y > 0)).float().mean().item():.3f}")
# cure: - _, val = random_split(dataset, [480, 120], generator=torch.Generator().manual_seed(1))
# cure: + _, val = random_split(dataset, [480, 120], generator=torch.Generator().manual_seed(0))
