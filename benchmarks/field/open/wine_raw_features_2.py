# expect: unscaled-inputs
import argparse
import torch
import torch.nn as nn
import torch.optim as optim
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=200)
    p.add_argument("--lr", type=float, default=0.01)
    p.add_argument("--momentum", type=float, default=0.9)
    p.add_argument("--batch-size", type=int, default=16)
    p.add_argument("--hidden", type=int, default=32)
    p.add_argument("--seed", type=int, default=4)
    return p.parse_args()


def load_data(seed):
    X, y = load_wine(return_X_y=True)
    X_tr, X_va, y_tr, y_va = train_test_split(X, y, test_size=0.3, random_state=seed, stratify=y)
    return (torch.tensor(X_tr, dtype=torch.float32), torch.tensor(y_tr),
            torch.tensor(X_va, dtype=torch.float32), torch.tensor(y_va))


def main():
    args = get_args()
    torch.manual_seed(args.seed)
    X_tr, y_tr, X_va, y_va = load_data(args.seed)
    model = nn.Sequential(nn.Linear(13, args.hidden), nn.ReLU(), nn.Linear(args.hidden, args.hidden), nn.ReLU(), nn.Linear(args.hidden, 3))
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.SGD(model.parameters(), lr=args.lr, momentum=args.momentum)
    for epoch in range(1, args.epochs + 1):
        model.train()
        total = 0.0
        for idx in torch.randperm(len(X_tr)).split(args.batch_size):
            optimizer.zero_grad()
            loss = criterion(model(X_tr[idx]), y_tr[idx])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(idx)
        if epoch % 20 == 0:
            model.eval()
            with torch.no_grad():
                out = model(X_va)
            print(f"Epoch {epoch:3d} train loss {total/len(X_tr):.4f} val loss {criterion(out, y_va):.4f} val acc {(out.argmax(1) == y_va).float().mean():.3f}")


if __name__ == "__main__":
    main()
