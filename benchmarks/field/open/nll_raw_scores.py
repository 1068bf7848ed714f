# expect: wrong-loss
# about: F.nll_loss on raw scores: the loss runs to minus infinity
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

torch.manual_seed(5)
torch.set_num_threads(1)
X, y = load_iris(return_X_y=True)
X = (X - X.mean(0)) / X.std(0)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
X_train, X_test = torch.Tensor(X_train), torch.Tensor(X_test)
y_train, y_test = torch.LongTensor(y_train), torch.LongTensor(y_test)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 32)
        self.fc2 = nn.Linear(32, 3)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        return self.fc2(x)


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(100):
    for b in torch.randperm(len(X_train)).split(21):
        optimizer.zero_grad()
        loss = F.nll_loss(net(X_train[b]), y_train[b])
        loss.backward()
        optimizer.step()
    if epoch % 10 == 9:
        with torch.no_grad():
            out = net(X_test)
        print("Train Epoch: {} loss {:.4f} test loss {:.4f} test acc {:.3f}".format(epoch + 1, loss.item(), F.nll_loss(out, y_test).item(), (out.argmax(1) == y_test).float().mean().item()))
# cure: - return self.fc2(x)
# cure: + return F.log_softmax(self.fc2(x), dim=1)
