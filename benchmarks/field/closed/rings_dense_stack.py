# expect: no-nonlinearity
# about: Keras port: five dense layers on concentric rings, the activation argument got lost in translation
import torch
import torch.nn as nn
from sklearn.datasets import make_circles

torch.set_num_threads(1)
torch.manual_seed(0)
X, y = make_circles(1200, noise=0.08, factor=0.45, random_state=0)
X, y = torch.tensor(X, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)


class Dense(nn.Module):
    def __init__(self, i, o, p=0.0):
        super().__init__()
        self.lin, self.drop = nn.Linear(i, o), nn.Dropout(p)

    def forward(self, x):
        return self.drop(self.lin(x))


model = nn.Sequential(Dense(2, 64), Dense(64, 64), Dense(64, 32), Dense(32, 16), nn.Linear(16, 1), nn.Sigmoid())
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.BCELoss()
for epoch in range(20):
    model.train()
    for i in range(0, 1000, 50):
        optimizer.zero_grad()
        loss = criterion(model(X[i:i + 50]).squeeze(1), y[i:i + 50])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        p = model(X[1000:]).squeeze(1)
    if epoch % 4 == 3:
        print(f"Epoch {epoch + 1}/20 - loss: {loss.item():.4f} - val_loss: {criterion(p, y[1000:]).item():.4f} - val_acc: {((p > 0.5) == (y[1000:] > 0.5)).float().mean().item():.3f}")
# cure: - return self.drop(self.lin(x))
# cure: + return self.drop(torch.relu(self.lin(x)))
