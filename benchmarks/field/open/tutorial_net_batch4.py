# expect: healthy
# about: the beginner's image tutorial: small LeNet, batches of four, SGD with momentum, running loss every 250 mini-batches
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

torch.set_num_threads(1)
rng = np.random.default_rng(3)
torch.manual_seed(3)
classes = ("bar", "ring", "cross", "square", "dot")


def draw(k):
    yy, xx = np.mgrid[0:20, 0:20]
    cy, cx, r = rng.uniform(7, 13), rng.uniform(7, 13), rng.uniform(3.5, 6)
    dy, dx = yy - cy, xx - cx
    d = np.hypot(dy, dx)
    m = {
        0: (abs(dx) < 1.2) & (abs(dy) < r),
        1: abs(d - r) < 1.0,
        2: ((abs(dx) < 1) | (abs(dy) < 1)) & (np.maximum(abs(dx), abs(dy)) < r),
        3: abs(np.maximum(abs(dx), abs(dy)) - r) < 0.9,
        4: d < r * 0.5,
    }[k]
    colour = rng.uniform(0.4, 1, 3)[:, None, None]
    img = rng.uniform(0, 0.3) + m * colour + 0.15 * rng.standard_normal((3, 20, 20))
    return np.clip(img, 0, 1)


def make(n):
    y = rng.integers(0, 5, n)
    x = np.stack([draw(k) for k in y]).astype(np.float32)
    return torch.from_numpy((x - 0.5) / 0.5), torch.from_numpy(y)


trainset = torch.utils.data.TensorDataset(*make(2000))
testset = torch.utils.data.TensorDataset(*make(500))
trainloader = torch.utils.data.DataLoader(trainset, batch_size=4, shuffle=True)
testloader = torch.utils.data.DataLoader(testset, batch_size=50, shuffle=False)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 3)
        self.fc1 = nn.Linear(16 * 3 * 3, 60)
        self.fc2 = nn.Linear(60, 30)
        self.fc3 = nn.Linear(30, 5)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


net = Net()
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(net.parameters(), lr=0.005, momentum=0.9)
for epoch in range(5):
    running_loss = 0.0
    if epoch == 4:
        for g in optimizer.param_groups:
            g["lr"] = 0.001
    for i, data in enumerate(trainloader, 0):
        inputs, labels = data
        optimizer.zero_grad()
        outputs = net(inputs)
        loss = criterion(outputs, labels)
        loss.backward()
        optimizer.step()
        running_loss += loss.item()
        if i % 250 == 249:
            print(f"[{epoch + 1}, {i + 1:5d}] loss: {running_loss / 250:.3f}")
            running_loss = 0.0
print("Finished Training")
correct = {c: 0 for c in classes}
total = {c: 0 for c in classes}
with torch.no_grad():
    for images, labels in testloader:
        _, predicted = torch.max(net(images), 1)
        for label, p in zip(labels, predicted):
            correct[classes[label]] += int(label == p)
            total[classes[label]] += 1
for c in classes:
    print(f"Accuracy for class {c:7s} is {100 * correct[c] / total[c]:.1f} %")
print(f"overall {100 * sum(correct.values()) / sum(total.values()):.1f} % (chance 20 %)")
