# expect: lr-too-low
# also: undertrained
# about: network ported from Keras with its Adadelta default of 0.001
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(1)
torch.set_num_threads(1)
digits = load_digits()
images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16
target = torch.tensor(digits.target)
train_x, train_y, test_x, test_y = images[:1400], target[:1400], images[1400:], target[1400:]


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3)
        self.conv2 = nn.Conv2d(16, 32, 3)
        self.drop = nn.Dropout(0.25)
        self.fc1 = nn.Linear(32 * 4, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = self.drop(x).flatten(1)
        return self.fc2(F.relu(self.fc1(x)))


def train(model, optimizer, epoch):
    model.train()
    for i, idx in enumerate(torch.randperm(len(train_x)).split(64)):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(train_x[idx]), train_y[idx])
        loss.backward()
        optimizer.step()
        if i % 10 == 0:
            print(f"Train Epoch: {epoch} [{i * 64}/{len(train_x)}]\tLoss: {loss.item():.6f}")


def test(model):
    model.eval()
    with torch.no_grad():
        out = model(test_x)
    print(f"Test set: Average loss: {F.cross_entropy(out, test_y):.4f}, Accuracy: {(out.argmax(1) == test_y).sum()}/{len(test_y)}")


model = ConvNet()
optimizer = torch.optim.Adadelta(model.parameters(), lr=0.001, rho=0.95, eps=1e-6)
for epoch in range(1, 13):
    train(model, optimizer, epoch)
    test(model)
# cure: - optimizer = torch.optim.Adadelta(model.parameters(), lr=0.001, rho=0.95, eps=1e-6)
# cure: + optimizer = torch.optim.Adadelta(model.parameters(), lr=1.0, rho=0.95, eps=1e-6)
