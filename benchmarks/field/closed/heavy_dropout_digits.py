# expect: healthy
# about: dropout 0.5 twice plus input dropout: training loss stays well above validation loss and that is fine
import torch
import torch.nn as nn
import torch.optim as optim
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(1)
X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16.0, y, test_size=0.25, random_state=1, stratify=y)
train_loader = DataLoader(TensorDataset(torch.tensor(X_train, dtype=torch.float32), torch.tensor(y_train)), batch_size=50, shuffle=True)
X_test, y_test = torch.tensor(X_test, dtype=torch.float32), torch.tensor(y_test)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Dropout(0.1), nn.Linear(64, 256), nn.ReLU(), nn.Dropout(0.5), nn.Linear(256, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10))

    def forward(self, x):
        return self.layers(x)


model = Net()
criterion = nn.CrossEntropyLoss()
optimizer = optim.Adam(model.parameters(), lr=0.002)
scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=10, gamma=0.3)
for epoch in range(1, 26):
    model.train()
    train_loss = 0
    for data, target in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(data), target)
        loss.backward()
        optimizer.step()
        train_loss += loss.item()
    scheduler.step()
    model.eval()
    with torch.no_grad():
        out = model(X_test)
    if epoch % 4 == 1:
        print("Train Epoch: {} train loss {:.4f} test loss {:.4f} accuracy {:.3f}".format(epoch, train_loss / len(train_loader), criterion(out, y_test).item(), (out.argmax(1) == y_test).float().mean().item()))
