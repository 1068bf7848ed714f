# expect: clip-before-unscale
# also: clip-too-tight
# about: clipping between scaler.scale(loss).backward() and scaler.step without unscale_, SGD
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(0)
torch.set_num_threads(1)
d = load_digits()
X, y = torch.tensor(d.data).float() / 16, torch.tensor(d.target)
p = torch.randperm(len(X))
tr, va = p[:1400], p[1400:]
model = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scaler = torch.amp.GradScaler(device="cpu", init_scale=2.0**14)
for epoch in range(10):
    model.train()
    for b in tr[torch.randperm(1400)].split(32):
        optimizer.zero_grad()
        with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(model(X[b]), y[b])
        scaler.scale(loss).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        scaler.step(optimizer)
        scaler.update()
    model.eval()
    with torch.no_grad():
        o = model(X[va])
    print(f"epoch {epoch} loss {loss.item():.4f} val {nn.functional.cross_entropy(o, y[va]).item():.4f} acc {(o.argmax(1) == y[va]).float().mean():.3f} scale {scaler.get_scale()}")
# cure: - torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
# cure: + scaler.unscale_(optimizer)
# cure: + torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
