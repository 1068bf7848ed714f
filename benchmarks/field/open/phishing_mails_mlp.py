# expect: init-too-large
# about: phishing mail classifier with an init function applied to all layers, plain SGD
import torch
import torch.nn as nn
from sklearn.datasets import make_classification
from sklearn.preprocessing import StandardScaler


def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.normal_(m.weight)
        nn.init.zeros_(m.bias)


torch.manual_seed(1234)
torch.set_num_threads(1)
X, y = make_classification(n_samples=2400, n_features=40, n_informative=12, n_redundant=4, n_classes=2, class_sep=1.0, n_clusters_per_class=3, random_state=7)
X = StandardScaler().fit_transform(X)
X, y = torch.tensor(X, dtype=torch.float32), torch.tensor(y)
model = nn.Sequential(nn.Linear(40, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 2))
model.apply(init_weights)
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
batch_size = 40
n_epochs = 12
for epoch in range(n_epochs):
    model.train()
    permutation = torch.randperm(2000)
    epoch_loss = 0.0
    for i in range(0, 2000, batch_size):
        indices = permutation[i : i + batch_size]
        out = model(X[indices])
        loss = loss_fn(out, y[indices])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item()
    model.eval()
    with torch.no_grad():
        out = model(X[2000:])
        test_loss = loss_fn(out, y[2000:]).item()
        test_acc = (out.argmax(1) == y[2000:]).float().mean().item()
    print(f"epoch {epoch + 1}/{n_epochs} loss {epoch_loss / 50:.4f} test loss {test_loss:.4f} test acc {test_acc:.4f}")
# cure: - nn.init.normal_(m.weight)
# cure: + nn.init.kaiming_normal_(m.weight)
