# expect: train-val-mismatch
# about: colour patch classifier; training patches come from one reader and validation patches from another with reversed channels
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(14)
torch.set_num_threads(1)
PALETTE = torch.tensor([[0.8, 0.3, 0.2], [0.2, 0.35, 0.75], [0.3, 0.7, 0.3], [0.75, 0.65, 0.2], [0.3, 0.65, 0.7]])


def render(n):
    y = torch.randint(5, (n,))
    base = PALETTE[y] + 0.08 * torch.randn(n, 3)
    img = base[:, :, None, None] + 0.15 * torch.randn(n, 3, 8, 8)
    return img.clamp(0, 1), y


def pil_loader(n):
    return render(n)


def cv_loader(n):
    x, y = render(n)
    return x.flip(1), y


mean, std = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1), torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1)
xt, yt = pil_loader(1200)
xv, yv = cv_loader(400)
train_dl = DataLoader(TensorDataset((xt - mean) / std, yt), 32, shuffle=True)
val_dl = DataLoader(TensorDataset((xv - mean) / std, yv), 100)
model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 16, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
criterion = nn.CrossEntropyLoss()
for epoch in range(6):
    for phase, dl in (("train", train_dl), ("val", val_dl)):
        model.train(phase == "train")
        loss_sum = correct = count = 0
        for x, y in dl:
            with torch.set_grad_enabled(phase == "train"):
                out = model(x)
                loss = criterion(out, y)
                if phase == "train":
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
            loss_sum += loss.item() * len(y)
            correct += (out.argmax(1) == y).sum().item()
            count += len(y)
        print(f"Epoch {epoch} {phase:5s} Loss: {loss_sum / count:.4f} Acc: {correct / count:.4f}")
# cure: - return x.flip(1), y
# cure: + return x, y
