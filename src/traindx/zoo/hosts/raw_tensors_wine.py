# Wine cultivars with plain tensors: no nn.Module, parameters in a list, the cross-entropy written out.
import sys

import torch
from sklearn.datasets import load_wine

torch.set_num_threads(1)
SEED = 0
epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 36

generator = torch.Generator().manual_seed(SEED)
torch.manual_seed(SEED)
wine = load_wine()
x = torch.tensor(wine.data, dtype=torch.float32)
y = torch.tensor(wine.target)
order = torch.randperm(len(x), generator=generator)
train, val = order[:128], order[128:]
x = (x - x[train].mean(0)) / x[train].std(0)

W1 = (torch.randn(13, 20) * (2 / 13) ** 0.5).requires_grad_()
b1 = torch.zeros(20, requires_grad=True)
W2 = (torch.randn(20, 20) * (2 / 20) ** 0.5).requires_grad_()
b2 = torch.zeros(20, requires_grad=True)
W3 = (torch.randn(20, 3) * (1 / 20) ** 0.5).requires_grad_()
b3 = torch.zeros(3, requires_grad=True)
params = [W1, b1, W2, b2, W3, b3]


def forward(inputs):
    h = torch.relu(inputs @ W1 + b1)
    h = torch.relu(h @ W2 + b2)
    return h @ W3 + b3


def cross_entropy(logits, labels):
    log_probs = logits - torch.logsumexp(logits, dim=1, keepdim=True)
    return -log_probs[torch.arange(len(labels)), labels].mean()


opt = torch.optim.SGD(params, lr=0.01, momentum=0.9, weight_decay=1e-2)
for epoch in range(epochs):
    for group in opt.param_groups:
        group["lr"] = 0.01 * 0.5 ** (epoch // 9)
    shuffled = train[torch.randperm(len(train))]
    epoch_loss = 0.0
    for i in range(0, len(shuffled), 16):
        batch = shuffled[i : i + 16]
        logits = forward(x[batch])
        loss = cross_entropy(logits, y[batch])
        opt.zero_grad()
        loss.backward()
        opt.step()
        epoch_loss += loss.item() * len(batch) / len(train)
    with torch.no_grad():
        logits = forward(x[val])
        val_loss = cross_entropy(logits, y[val]).item()
        val_acc = (logits.argmax(1) == y[val]).float().mean().item()
    if epoch % 4 == 3:
        print(f"{epoch + 1}: loss={epoch_loss:.4f} val_loss={val_loss:.4f} val_acc={val_acc:.3f}")

print(f"FINAL train_loss={epoch_loss:.5f} val_loss={val_loss:.5f} quality={val_acc:.4f}")
