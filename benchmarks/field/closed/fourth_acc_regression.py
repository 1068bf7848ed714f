# expect: healthy
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import make_friedman1
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def build_loaders(bs):
    X, y = make_friedman1(3000, n_features=10, noise=0.5, random_state=0)
    y = (y - y[:2400].mean()) / y[:2400].std()
    X = torch.tensor(X, dtype=torch.float32) * 2 - 1
    y = torch.tensor(y, dtype=torch.float32).unsqueeze(1)
    return (DataLoader(TensorDataset(X[:2400], y[:2400]), bs, shuffle=True),
            DataLoader(TensorDataset(X[2400:], y[2400:]), 600))


def training_function():
    set_seed(21)
    accelerator = Accelerator(cpu=True)
    train_dl, eval_dl = build_loaders(64)
    model = nn.Sequential(nn.Linear(10, 96), nn.GELU(), nn.Linear(96, 96), nn.GELU(), nn.Linear(96, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    n_epochs = 30
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, n_epochs * len(train_dl))
    model, optimizer, train_dl, eval_dl, scheduler = accelerator.prepare(model, optimizer, train_dl, eval_dl, scheduler)
    for epoch in range(n_epochs):
        model.train()
        for x, y in train_dl:
            loss = nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        model.eval()
        sse = var = 0.0
        for x, y in eval_dl:
            with torch.no_grad():
                p = model(x)
            p, y = accelerator.gather_for_metrics((p, y))
            sse += ((p - y) ** 2).sum().item()
            var += ((y - y.mean()) ** 2).sum().item()
        if epoch % 5 == 4:
            accelerator.print(f"epoch {epoch}: r2={1 - sse / var:.4f}")


if __name__ == "__main__":
    training_function()
