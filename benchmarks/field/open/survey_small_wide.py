# expect: overfitting
# about: 120 patients, 200 noisy markers, wide net trained to zero training loss
import torch
import torch.nn as nn
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

torch.manual_seed(0)
torch.set_num_threads(1)
X, y = make_classification(n_samples=420, n_features=200, n_informative=6, n_redundant=0, flip_y=0.05, class_sep=1.6, random_state=3)
X_tr, X_te, y_tr, y_te = train_test_split(X, y, train_size=120, random_state=0)
X_tr, X_te = torch.tensor(X_tr).float(), torch.tensor(X_te).float()
y_tr, y_te = torch.tensor(y_tr).float(), torch.tensor(y_te).float()
EPOCHS = 120
net = nn.Sequential(nn.Linear(200, 256), nn.ReLU(), nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
criterion = nn.BCEWithLogitsLoss()
for epoch in range(EPOCHS):
    net.train()
    for b in torch.randperm(120).split(20):
        optimizer.zero_grad()
        loss = criterion(net(X_tr[b]).squeeze(1), y_tr[b])
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        out = net(X_te).squeeze(1)
        vl = criterion(out, y_te).item()
        tl = criterion(net(X_tr).squeeze(1), y_tr).item()
    if epoch % 10 == 9 or EPOCHS < 10:
        print(f"epoch {epoch + 1} train {tl:.4f} val {vl:.4f} acc {((out > 0) == (y_te > 0.5)).float().mean():.3f}")
# cure: - EPOCHS = 120
# cure: + EPOCHS = 6
