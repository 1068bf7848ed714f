# expect: double-softmax
# about: nn.Softmax as the last layer with CrossEntropyLoss
import torch
import torch.nn as nn
import torch.optim as optim
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(42)
torch.set_num_threads(1)


class SimpleCNN(nn.Module):
    def __init__(self):
        super(SimpleCNN, self).__init__()
        self.conv1 = nn.Conv2d(1, 8, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, kernel_size=3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.fc1 = nn.Linear(16 * 2 * 2, 32)
        self.fc2 = nn.Linear(32, 10)
        self.relu = nn.ReLU()
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = x.view(x.size(0), -1)
        x = self.fc2(self.relu(self.fc1(x)))
        return self.softmax(x)


d = load_digits()
Xa, Xb, ya, yb = train_test_split(d.images / 16.0, d.target, test_size=0.2, random_state=0)
mk = lambda X, y: TensorDataset(torch.tensor(X, dtype=torch.float32).unsqueeze(1), torch.tensor(y))
train_loader, test_loader = DataLoader(mk(Xa, ya), 32, shuffle=True), DataLoader(mk(Xb, yb), 128)
model = SimpleCNN()
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for epoch in range(10):
    model.train()
    running = 0
    for inputs, labels in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(inputs), labels)
        loss.backward()
        optimizer.step()
        running += loss.item()
    model.eval()
    correct = vloss = 0
    with torch.no_grad():
        for inputs, labels in test_loader:
            outputs = model(inputs)
            vloss += criterion(outputs, labels).item()
            correct += (outputs.argmax(1) == labels).sum().item()
    print(f"[{epoch+1}] loss: {running/len(train_loader):.3f} test loss {vloss/len(test_loader):.3f} acc {correct/len(yb):.3f}")
# cure: - return self.softmax(x)
# cure: + return x
