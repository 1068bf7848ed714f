"""A short training in which every moment that observers can hear of occurs. Not a test: run by test_faults.py."""

import hashlib

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x, y = torch.randn(48, 6), torch.randint(0, 3, (48,))
train = DataLoader(TensorDataset(x[:32], y[:32]), batch_size=8, shuffle=True)
test = DataLoader(TensorDataset(x[32:], y[32:]), batch_size=8)
# Eight units in a row make a chain that is followed.
model = nn.Sequential(nn.Linear(6, 12), *[nn.ReLU() for _ in range(8)], nn.Dropout(0.1), nn.Linear(12, 3))
model.load_state_dict(model.state_dict())
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scrambled = x.view(6, 48)  # sizes in another order: a transpose was meant
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.1)
scaler = torch.amp.GradScaler(device="cpu", init_scale=16.0)
for epoch in range(3):
    model.train()
    for inputs, labels in train:
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            loss = nn.functional.cross_entropy(model(inputs), labels)
        loss = loss + 1e-4 * model[0].weight.pow(2).sum()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    scheduler.step()
    model.eval()
    with torch.no_grad():
        print(epoch, sum(nn.functional.cross_entropy(model(a), b).item() for a, b in test))
        print(sum(int((model(a).argmax(1) == b).sum()) for a, b in test))
    print(epoch, sum(nn.functional.cross_entropy(model(a), b).item() for a, b in test))  # and without no_grad()

alone = nn.Parameter(torch.ones(3))
of_alone = torch.optim.SGD([alone], lr=0.1)


@torch.compile(backend="eager")
def step_alone():
    with torch.no_grad():
        alone.mul_(0.9)


step_alone()
try:
    model(torch.randn(1, 7))
except RuntimeError:
    print("wrong width")
try:
    nn.functional.binary_cross_entropy(torch.full((4,), 2.0), torch.zeros(4))
except RuntimeError:
    print("no probability")
# A gradient, then a loss, that is not finite: what follows an accident is looked at too.
optimizer.zero_grad()
(model(x[:8]) - model(x[:8]).detach()).norm().backward()
optimizer.step()
optimizer.zero_grad()
model(x[:8] / 0).mean().backward()
optimizer.step()
digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters()))
print(digest.hexdigest(), hashlib.sha256(torch.get_rng_state().numpy().tobytes()).hexdigest())
