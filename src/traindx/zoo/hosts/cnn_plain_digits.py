import torch
from sklearn.datasets import load_digits
from torch import nn, optim
from torch.nn import functional as F

torch.set_num_threads(1)

SEED = 0
BATCH = 40
EPOCHS = 9
LEARNING_RATE = 3e-3


def load():
    raw = load_digits()
    images = torch.from_numpy(raw.images).float().div(16).sub(0.3).unsqueeze(1)
    labels = torch.from_numpy(raw.target).long()
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(SEED))
    cut = int(0.75 * len(order))
    train_idx, val_idx = order[:cut], order[cut:]
    return (images[train_idx], labels[train_idx]), (images[val_idx], labels[val_idx])


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.ModuleList(
            [
                nn.Conv2d(1, 16, kernel_size=3, padding=1),
                nn.Conv2d(16, 24, kernel_size=3, padding=1, stride=2),
                nn.Conv2d(24, 32, kernel_size=3, padding=1, stride=2),
            ]
        )
        self.classifier = nn.Linear(32 * 2 * 2, 10)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, nonlinearity="relu")
                nn.init.zeros_(m.bias)

    def forward(self, x):
        for conv in self.features:
            x = torch.relu(conv(x))
        x = x.view(x.size(0), -1)
        return self.classifier(x)


def accuracy(logits, y):
    return (logits.argmax(-1) == y).float().mean().item()


torch.manual_seed(SEED)
(x_train, y_train), (x_val, y_val) = load()
net = ConvNet()
opt = optim.RMSprop(net.parameters(), lr=LEARNING_RATE)
total_steps = EPOCHS * (len(x_train) // BATCH)
schedule = optim.lr_scheduler.LinearLR(opt, start_factor=1.0, end_factor=0.02, total_iters=total_steps)

for epoch in range(EPOCHS):
    net.train()
    losses = []
    permutation = torch.randperm(len(x_train))
    for start in range(0, len(x_train) - BATCH + 1, BATCH):
        index = permutation[start : start + BATCH]
        x, y = x_train[index], y_train[index]
        prediction = net(x)
        loss = F.cross_entropy(prediction, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        schedule.step()
        losses.append(loss.item())
    net.eval()
    with torch.no_grad():
        prediction = net(x_val)
        val_loss = F.cross_entropy(prediction, y_val).item()
        val_acc = accuracy(prediction, y_val)
    train_loss = sum(losses) / len(losses)
    print(f"Epoch {epoch}: train={train_loss:.4f} val={val_loss:.4f} acc={val_acc:.3f}")

print(f"FINAL train_loss={train_loss:.5f} val_loss={val_loss:.5f} quality={val_acc:.4f}")
