# expect: detached-graph
# also: params-not-in-optimizer
# about: forum question: seedling growth stages as ordered numbers, the predicted stage is compared with the true one
import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(0)
torch.set_num_threads(1)
n = 1200
height = torch.rand(n) * 20
leaves = height / 4 + 0.6 * torch.randn(n)
stage = torch.bucketize(height, torch.tensor([4.0, 8.0, 12.0, 16.0]))
X = torch.stack([(height - 10) / 5.8 + 0.1 * torch.randn(n), (leaves - 2.5) / 1.5, torch.randn(n)], dim=1)


class StageNet(nn.Module):
    def __init__(self):
        super(StageNet, self).__init__()
        self.fc1 = nn.Linear(3, 32)
        self.fc2 = nn.Linear(32, 5)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


net = StageNet()
optimizer = optim.Adam(net.parameters(), lr=0.005)


def compute_loss(outputs, labels):
    _, predicted = torch.max(outputs, 1)
    loss = nn.MSELoss()(predicted.float(), labels.float())
    return loss.requires_grad_(True)


for epoch in range(15):
    running_loss = 0.0
    for i in range(0, 1000, 20):
        inputs, labels = X[i:i + 20], stage[i:i + 20]
        optimizer.zero_grad()
        outputs = net(inputs)
        loss = compute_loss(outputs, labels)
        loss.backward()
        optimizer.step()
        running_loss += loss.item()
    with torch.no_grad():
        acc = (net(X[1000:]).argmax(1) == stage[1000:]).float().mean().item()
    print('[%d] loss: %.3f test acc: %.3f' % (epoch + 1, running_loss / 50, acc))
print('Finished Training')
# cure: - return loss.requires_grad_(True)
# cure: + return nn.functional.cross_entropy(outputs, labels)
