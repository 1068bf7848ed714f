# expect: softmax-wrong-axis
# about: log_softmax over the batch axis before nll_loss
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(1)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 10, 3)
        self.conv2 = nn.Conv2d(10, 20, 3)
        self.fc1 = nn.Linear(80, 50)
        self.fc2 = nn.Linear(50, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(F.max_pool2d(self.conv2(x), 2))
        x = x.view(-1, 80)
        x = self.fc2(F.relu(self.fc1(x)))
        return F.log_softmax(x, dim=0)


d = load_digits()
ds = TensorDataset(torch.tensor(d.images).float().unsqueeze(1) / 16, torch.tensor(d.target))
train_ds, test_ds = random_split(ds, [1500, 297])
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.5)


def train(epoch):
    model.train()
    for data, target in DataLoader(train_ds, batch_size=25, shuffle=True):
        optimizer.zero_grad()
        loss = F.nll_loss(model(data), target)
        loss.backward()
        optimizer.step()
    return loss.item()


def test():
    model.eval()
    tl = c = 0
    with torch.no_grad():
        for data, target in DataLoader(test_ds, batch_size=50):
            o = model(data)
            tl += F.nll_loss(o, target, reduction="sum").item()
            c += o.argmax(1).eq(target).sum().item()
    return tl / 297, c / 297


for epoch in range(1, 11):
    print("Epoch", epoch, "loss", train(epoch), "test", test())
# cure: - return F.log_softmax(x, dim=0)
# cure: + return F.log_softmax(x, dim=1)
