# Contrastive representation of digits: two noisy views of an image attract, views of other images repel.
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.set_num_threads(1)
SEED = 0
torch.manual_seed(SEED)
TEMPERATURE = 0.2

digits = load_digits()
order = torch.randperm(len(digits.target))
images = torch.tensor(digits.images, dtype=torch.float32)[order] / 16
labels = torch.tensor(digits.target)[order]
train_images, val_images = images[:1400], images[1400:]


def augment(batch):
    keep = (torch.rand_like(batch) > 0.15).float()
    return batch * keep + 0.1 * torch.randn_like(batch)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Flatten(), nn.Linear(64, 96), nn.BatchNorm1d(96), nn.ReLU())
        self.projector = nn.Sequential(nn.Linear(96, 64), nn.ReLU(), nn.Linear(64, 16))

    def forward(self, x):
        return self.projector(self.backbone(x))


def info_nce(a, b):
    a = F.normalize(a, dim=1)
    b = F.normalize(b, dim=1)
    similarity = a @ b.t() / TEMPERATURE
    positives = torch.arange(len(a))
    return F.cross_entropy(similarity, positives)


def matched(a, b):
    similarity = F.normalize(a, dim=1) @ F.normalize(b, dim=1).t()
    return (similarity.argmax(1) == torch.arange(len(a))).float().mean().item()


def evaluate(model):
    model.eval()
    losses, hits = [], []
    with torch.no_grad():
        for batch in val_images.split(64)[:-1]:
            a, b = model(augment(batch)), model(augment(batch))
            losses.append(info_nce(a, b).item())
            hits.append(matched(a, b))
    return sum(losses) / len(losses), sum(hits) / len(hits)


model = Encoder()
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=1e-3)
epochs = 16
steps_per_epoch = len(train_images) // 64
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs * steps_per_epoch)
for epoch in range(epochs):
    model.train()
    running_loss = 0.0
    shuffled = train_images[torch.randperm(len(train_images))]
    for batch in shuffled.split(64)[:steps_per_epoch]:
        z1 = model(augment(batch))
        z2 = model(augment(batch))
        loss = (info_nce(z1, z2) + info_nce(z2, z1)) / 2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        running_loss += loss.item() / steps_per_epoch
    val_loss, val_acc = evaluate(model)
    print(f"epoch {epoch} contrastive loss {running_loss:.4f} val {val_loss:.4f} matched {val_acc:.3f}")

print(f"FINAL train_loss={running_loss:.5f} val_loss={val_loss:.5f} quality={val_acc:.4f}")
