# expect: wrong-loss
# about: SoftMarginLoss wants labels of minus one and one and is given zeros and ones
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
words = (torch.rand(2000, 60) < 0.15).float()
spammy = torch.randn(60)
score = words @ spammy
labels = (score > score.median()).float()
model = nn.Sequential(nn.Linear(60, 24), nn.ReLU(), nn.Linear(24, 1))
criterion = nn.SoftMarginLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(10):
    total = 0.0
    for b in torch.randperm(1600).split(40):
        target = labels[b]
        loss = criterion(model(words[b]).squeeze(1), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() / 40
    with torch.no_grad():
        spam = model(words[1600:]).squeeze(1) > 0
        print(f"epoch {epoch} loss {total:.4f} accuracy {(spam == (labels[1600:] > 0.5)).float().mean().item():.3f} flagged {spam.float().mean().item():.3f}")
# cure: - target = labels[b]
# cure: + target = labels[b] * 2 - 1
