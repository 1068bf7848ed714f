# A deep plain network for two interleaved, slightly noisy moons with nuisance inputs: binary labels, logits.
import torch
import torch.nn.functional as F
from sklearn.datasets import make_moons
from torch import nn

torch.set_num_threads(1)
SEED = 0
HIDDEN = 48
DEPTH = 7


def make_data(n):
    points, labels = make_moons(n_samples=n, noise=0.12, random_state=SEED)
    rng = torch.Generator().manual_seed(SEED)
    points = torch.tensor(points, dtype=torch.float32)
    extra = torch.randn(n, 2, generator=rng)
    inputs = torch.cat([(points - points.mean(0)) / points.std(0), extra], dim=1)
    return inputs, torch.tensor(labels, dtype=torch.float32).unsqueeze(1)


def build_model():
    layers = []
    width = 4
    for _ in range(DEPTH):
        layers.append(nn.Linear(width, HIDDEN))
        layers.append(nn.ReLU())
        width = HIDDEN
    layers.append(nn.Linear(width, 1))
    net = nn.Sequential(*layers)
    for layer in net:
        if isinstance(layer, nn.Linear):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            nn.init.zeros_(layer.bias)
    return net


def batches(inputs, targets, size):
    order = torch.randperm(len(inputs))
    for chunk in order.split(size):
        yield inputs[chunk], targets[chunk]


def evaluate(net, inputs, targets):
    net.eval()
    with torch.no_grad():
        logits = net(inputs)
        loss = F.binary_cross_entropy_with_logits(logits, targets).item()
        acc = ((logits > 0).float() == targets).float().mean().item()
    net.train()
    return loss, acc


torch.manual_seed(SEED)
inputs, targets = make_data(2400)
train_x, train_y = inputs[:1800], targets[:1800]
val_x, val_y = inputs[1800:], targets[1800:]

net = build_model()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, betas=(0.9, 0.999))
decay = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[7, 11], gamma=0.2)
for epoch in range(14):
    epoch_loss = 0.0
    for x, y in batches(train_x, train_y, 50):
        logits = net(x)
        loss = F.binary_cross_entropy_with_logits(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item() * len(x) / len(train_x)
    decay.step()
    val_loss, val_acc = evaluate(net, val_x, val_y)
    print("epoch", epoch, "train", round(epoch_loss, 4), "val", round(val_loss, 4), "acc", round(val_acc, 4))

print(f"FINAL train_loss={epoch_loss:.5f} val_loss={val_loss:.5f} quality={val_acc:.4f}")
