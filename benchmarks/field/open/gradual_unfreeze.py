# expect: healthy
# about: ULMFiT-like: pretrained encoder, layers unfrozen one by one with discriminative rates
import torch
from sklearn.datasets import load_digits
from torch import nn, optim

torch.set_num_threads(1)
torch.manual_seed(41)
digits = load_digits()
X = torch.tensor(digits.data).float() / 16
y = torch.tensor(digits.target)
even = (y % 2 == 0)

encoder = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU())
decoder = nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 64))
pre = optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=2e-3)
for epoch in range(15):
    for b in torch.randperm(1797).split(64):
        loss = nn.functional.mse_loss(decoder(encoder(X[b])), X[b])
        pre.zero_grad()
        loss.backward()
        pre.step()
print("pretraining reconstruction", loss.item())

head = nn.Linear(32, 10)
for p in encoder.parameters():
    p.requires_grad = False
layers = [encoder[4], encoder[2], encoder[0]]
optimizer = optim.Adam(head.parameters(), lr=5e-3)
train, test = torch.arange(0, 1400), torch.arange(1400, 1797)
stage = 0
for epoch in range(20):
    if epoch in (5, 8, 11):
        layer = layers[stage]
        for p in layer.parameters():
            p.requires_grad = True
        stage += 1
        optimizer.add_param_group({"params": list(layer.parameters()), "lr": 2e-3 / 2 ** stage})
        print("unfroze", layer)
    for b in train[torch.randperm(1400)].split(32):
        logits = head(encoder(X[b]))
        loss = nn.functional.cross_entropy(logits, y[b])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        out = head(encoder(X[test]))
        print(f"epoch {epoch} loss {loss.item():.3f} val {nn.functional.cross_entropy(out, y[test]).item():.3f} acc {(out.argmax(1) == y[test]).float().mean():.3f}")
