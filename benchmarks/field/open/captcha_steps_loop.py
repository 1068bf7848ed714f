# expect: train-mode-missing
# also: overfitting, noisy-labels
# about: iteration-based loop with evaluation every few steps, small crowd-labelled data, dropout against memorising
import torch
import torch.nn as nn

torch.manual_seed(77)
torch.set_num_threads(1)
proto = torch.randn(5, 40)


def batch_of(n):
    y = torch.randint(0, 5, (n,))
    x = 0.5 * proto[y] + torch.randn(n, 40)
    return x, y


X, Y = batch_of(300)
Y = torch.where(torch.rand(300) < 0.3, torch.randint(0, 5, (300,)), Y)
XV, YV = batch_of(800)


def infinite(bs):
    while True:
        yield from torch.randperm(len(X)).split(bs)


def evaluate(model):
    model.eval()
    with torch.no_grad():
        out = model(XV)
    return nn.functional.cross_entropy(out, YV).item(), (out.argmax(1) == YV).float().mean().item()


model = nn.Sequential(nn.Dropout(0.4), nn.Linear(40, 256), nn.ReLU(), nn.Dropout(0.6), nn.Linear(256, 256), nn.ReLU(), nn.Dropout(0.6), nn.Linear(256, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=0)
model.train()
for step, b in enumerate(infinite(25), 1):
    loss = nn.functional.cross_entropy(model(X[b]), Y[b])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 75 == 0:
        vl, va = evaluate(model)
        print(f"step {step} train {loss.item():.3f} val {vl:.3f} acc {va:.3f}")
    if step == 900:
        break
# cure: - loss = nn.functional.cross_entropy(model(X[b]), Y[b])
# cure: + model.train()
# cure: + loss = nn.functional.cross_entropy(model(X[b]), Y[b])
