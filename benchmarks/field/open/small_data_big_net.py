# expect: overfitting
# about: 90 samples, two layers of 512, 200 epochs, no regularisation
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
w = torch.randn(30)
X = torch.randn(590, 30)
y = torch.bernoulli(torch.sigmoid(0.4 * X @ w))
X_train, y_train, X_val, y_val = X[:90], y[:90], X[90:], y[90:]
EPOCHS = 100
model = nn.Sequential(nn.Linear(30, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
criterion = nn.BCEWithLogitsLoss()
for epoch in range(EPOCHS):
    model.train()
    running = 0
    for b in torch.randperm(90).split(10):
        optimizer.zero_grad()
        loss = criterion(model(X_train[b]).squeeze(1), y_train[b])
        loss.backward()
        optimizer.step()
        running += loss.item() / 9
    model.eval()
    with torch.no_grad():
        o = model(X_val).squeeze(1)
        vl = criterion(o, y_val).item()
    if epoch % 10 == 9 or epoch < 10:
        print(f"Epoch {epoch+1}: train {running:.4f} val {vl:.4f} acc {((o > 0) == y_val.bool()).float().mean():.3f}")
# cure: - EPOCHS = 100
# cure: + EPOCHS = 10
