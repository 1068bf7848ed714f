# expect: healthy
# about: raw features of very unequal scale, a BatchNorm in front takes care of them
import torch
import torch.nn as nn
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

torch.manual_seed(100)
torch.set_num_threads(1)
X, y = load_breast_cancer(return_X_y=True)
Xt, Xv, yt, yv = train_test_split(X, y, test_size=0.2, random_state=3, stratify=y)
Xt, Xv = torch.FloatTensor(Xt), torch.FloatTensor(Xv)
yt, yv = torch.FloatTensor(yt)[:, None], torch.FloatTensor(yv)[:, None]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.bn0 = nn.BatchNorm1d(30)
        self.fc1 = nn.Linear(30, 24)
        self.drop = nn.Dropout(0.2)
        self.fc2 = nn.Linear(24, 1)

    def forward(self, x):
        return self.fc2(self.drop(torch.relu(self.fc1(self.bn0(x)))))


net = Net()
lossf = nn.BCEWithLogitsLoss()
optim = torch.optim.Adam(net.parameters(), lr=2e-3)
for e in range(1, 26):
    net.train()
    for i in torch.randperm(len(Xt)).split(32):
        optim.zero_grad()
        l = lossf(net(Xt[i]), yt[i])
        l.backward()
        optim.step()
    net.eval()
    with torch.no_grad():
        tr, va = lossf(net(Xt), yt).item(), lossf(net(Xv), yv).item()
        acc = ((net(Xv) > 0) == yv.bool()).float().mean().item()
    print("epoch", e, "train", round(tr, 4), "val", round(va, 4), "acc", round(acc, 4))
