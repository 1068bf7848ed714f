# expect: train-mode-missing
# also: overfitting
# about: small noisy tabular set that relies on dropout; model.eval() inside the loop is never undone
import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(30)
d = 60
w = torch.zeros(d)
w[:6] = torch.tensor([1.5, -1.2, 1.0, 0.9, -0.8, 0.7])


def sample(n):
    x = torch.randn(n, d)
    return x, (x @ w + 1.0 * torch.randn(n) > 0).long()


x_train, y_train = sample(220)
x_val, y_val = sample(1500)
model = nn.Sequential(
    nn.Linear(d, 256), nn.ReLU(), nn.Dropout(0.6),
    nn.Linear(256, 256), nn.ReLU(), nn.Dropout(0.6),
    nn.Linear(256, 2))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
model.train()
for epoch in range(50):
    running = 0.0
    for idx in torch.randperm(220).split(20):
        optimizer.zero_grad()
        loss = criterion(model(x_train[idx]), y_train[idx])
        loss.backward()
        optimizer.step()
        running += loss.item() / 11
    model.eval()
    with torch.no_grad():
        out = model(x_val)
        vl, va = criterion(out, y_val).item(), (out.argmax(1) == y_val).float().mean().item()
    if epoch % 5 == 4:
        print(f"Epoch {epoch + 1}\ttrain {running:.4f}\tval {vl:.4f}\tacc {va:.3f}")
# cure: - running = 0.0
# cure: + model.train()
# cure: + running = 0.0
