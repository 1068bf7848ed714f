# expect: healthy
# about: the run ends at its planned epoch; the training loss still creeps down a little but accuracy has been level for a while
import time

import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.manual_seed(1)
torch.set_num_threads(1)
digits = load_digits()
x_tr, x_te, y_tr, y_te = train_test_split(digits.images, digits.target, test_size=0.25, stratify=digits.target, random_state=0)
x_tr, x_te = (torch.as_tensor(a, dtype=torch.float32).unsqueeze(1) / 8 - 1 for a in (x_tr, x_te))
y_tr, y_te = torch.as_tensor(y_tr), torch.as_tensor(y_te)


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3)
        self.fc1 = nn.Linear(16 * 9, 48)
        self.fc2 = nn.Linear(48, 10)

    def forward(self, x):
        x = torch.tanh(self.conv1(x))
        x = torch.max_pool2d(torch.tanh(self.conv2(x)), 2)
        return self.fc2(torch.tanh(self.fc1(x.flatten(1))))


net = LeNet()
sgd = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4)
loss_fn = nn.CrossEntropyLoss()
began = time.time()
for epoch in range(1, 26):
    net.train()
    losses = []
    for k in torch.randperm(len(x_tr)).split(32):
        sgd.zero_grad()
        loss = loss_fn(net(x_tr[k]), y_tr[k])
        loss.backward()
        sgd.step()
        losses.append(loss.item())
    net.eval()
    with torch.no_grad():
        logits = net(x_te)
    acc = (logits.argmax(1) == y_te).float().mean().item()
    print(f"{epoch:3d}  train {sum(losses) / len(losses):.4f}  test {loss_fn(logits, y_te).item():.4f}  acc {acc:.4f}  {time.time() - began:.1f}s")
