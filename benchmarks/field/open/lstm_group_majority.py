# expect: missing-zero-grad
# about: LSTM sequence classifier in a notebook-like script, SGD with momentum
import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(21)
torch.set_num_threads(1)


class SeqClassifier(nn.Module):
    def __init__(self, vocab=12, emb=16, hidden=32, classes=4):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb)
        self.lstm = nn.LSTM(emb, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, classes)

    def forward(self, x):
        _, (h, _) = self.lstm(self.embedding(x))
        return self.fc(h[-1])


def get_data(n):
    x = torch.randint(0, 12, (n, 10))
    groups = torch.stack([((x >= 3 * k) & (x < 3 * k + 3)).sum(1) for k in range(4)], 1)
    return x, groups.argmax(1)


train_x, train_y = get_data(2000)
test_x, test_y = get_data(500)
model = SeqClassifier()
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
batch_size = 40
for epoch in range(15):
    correct = 0
    running_loss = 0.0
    perm = torch.randperm(2000)
    for i in range(0, 2000, batch_size):
        optimizer.zero_grad
        idx = perm[i : i + batch_size]
        outputs = model(train_x[idx])
        loss = criterion(outputs, train_y[idx])
        loss.backward()
        optimizer.step()
        running_loss += loss.item()
        correct += (outputs.argmax(1) == train_y[idx]).sum().item()
    with torch.no_grad():
        test_acc = (model(test_x).argmax(1) == test_y).float().mean().item()
    print("epoch %d loss %.3f train acc %.3f test acc %.3f" % (epoch, running_loss / 50, correct / 2000, test_acc))
# cure: - optimizer.zero_grad
# cure: + optimizer.zero_grad()
