# expect: unscaled-inputs
# about: wine features as they come (proline ~ 1000, hue ~ 1) into an MLP
# also: dead-relus
import torch
import torch.nn as nn
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

torch.manual_seed(0)
torch.set_num_threads(1)
X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=0, stratify=y)
X_train = torch.tensor(X_train, dtype=torch.float32)
X_test = torch.tensor(X_test, dtype=torch.float32)
y_train, y_test = torch.tensor(y_train), torch.tensor(y_test)
model = nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(60):
    perm = torch.randperm(len(X_train))
    for k in range(0, len(perm), 16):
        batch = perm[k : k + 16]
        optimizer.zero_grad()
        loss = loss_fn(model(X_train[batch]), y_train[batch])
        loss.backward()
        optimizer.step()
    if (epoch + 1) % 6 == 0:
        with torch.no_grad():
            o = model(X_test)
        print(f"epoch {epoch+1} loss {loss.item():.4f} test {loss_fn(o, y_test).item():.4f} acc {(o.argmax(1) == y_test).float().mean().item():.3f}")
# cure: - X_test = torch.tensor(X_test, dtype=torch.float32)
# cure: + X_test = (torch.tensor(X_test, dtype=torch.float32) - X_train.mean(0)) / X_train.std(0)
# cure: + X_train = (X_train - X_train.mean(0)) / X_train.std(0)
