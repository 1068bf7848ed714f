# expect: double-softmax
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.manual_seed(1)
X, y = load_digits(return_X_y=True)
X = torch.tensor(X / 16.0, dtype=torch.float32)
y = torch.tensor(y)
itr, iva = train_test_split(range(len(y)), test_size=0.25, random_state=1)


class DigitsModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(64, 100), nn.ReLU(),
            nn.Linear(100, 50), nn.ReLU(),
            nn.Linear(50, 10), nn.Softmax(dim=1))

    def forward(self, x):
        return self.layers(x)


model = DigitsModel()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
EPOCHS = 40

for epoch in range(EPOCHS):
    model.train()
    losses = []
    order = torch.tensor(itr)[torch.randperm(len(itr))]
    for chunk in order.split(64):
        optimizer.zero_grad()
        probs = model(X[chunk])
        loss = criterion(probs, y[chunk])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        probs = model(X[iva])
        val_loss = criterion(probs, y[iva]).item()
        val_acc = (probs.argmax(1) == y[iva]).float().mean().item()
    if (epoch + 1) % 5 == 0:
        print(f"Epoch {epoch+1}/{EPOCHS} loss {sum(losses)/len(losses):.4f} val_loss {val_loss:.4f} val_acc {val_acc:.4f}")
