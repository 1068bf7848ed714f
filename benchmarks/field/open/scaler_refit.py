# expect: train-val-mismatch
# about: regression targets standardised for training, validation compared in raw units
import torch
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.manual_seed(5)
torch.set_num_threads(1)
X, y = load_diabetes(return_X_y=True)
X_tr, X_va, y_tr, y_va = train_test_split(X, y, test_size=0.25, random_state=5)
xs, ys = StandardScaler().fit(X_tr), StandardScaler().fit(y_tr[:, None])
X_tr, X_va = xs.transform(X_tr), xs.transform(X_va)
y_tr = ys.transform(y_tr[:, None])
y_va = y_va[:, None] / 100
X_tr, X_va, y_tr, y_va = (torch.tensor(a, dtype=torch.float32) for a in (X_tr, X_va, y_tr, y_va))
model = torch.nn.Sequential(torch.nn.Linear(10, 16), torch.nn.ReLU(), torch.nn.Dropout(0.2), torch.nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=3e-3, weight_decay=1e-4)
for epoch in range(30):
    model.train()
    for b in torch.randperm(len(X_tr)).split(32):
        opt.zero_grad()
        loss = torch.nn.functional.mse_loss(model(X_tr[b]), y_tr[b])
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        tl = torch.nn.functional.mse_loss(model(X_tr), y_tr).item()
        vl = torch.nn.functional.mse_loss(model(X_va), y_va).item()
    print(f"epoch {epoch} train {tl:.4f} val {vl:.4f} val r2 {1 - vl / y_va.var().item():.3f}")
# cure: - y_va = y_va[:, None] / 100
# cure: + y_va = ys.transform(y_va[:, None])
