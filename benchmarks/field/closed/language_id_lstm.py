# expect: double-softmax
# about: LSTM language identification whose forward ends in softmax, trained with CrossEntropyLoss
import random
import torch
import torch.nn as nn

random.seed(0)
torch.manual_seed(0)
torch.set_num_threads(1)
ALPHA = "abcdefghijklmnopqrstuvwxyz"
langs = {}
for name in ["aa", "bb", "cc", "dd", "ee", "ff"]:
    w = [random.random() ** 3 + 0.02 for _ in range(26 * 26)]
    langs[name] = [w[26 * i:26 * i + 26] for i in range(26)]


def word(name):
    c = random.randrange(26)
    s = [c]
    for _ in range(19):
        c = random.choices(range(26), langs[name][c])[0]
        s.append(c)
    return s


names = sorted(langs)
data = [(word(n), k) for k, n in enumerate(names) for _ in range(250)]
random.shuffle(data)
X = torch.tensor([d[0] for d in data])
Y = torch.tensor([d[1] for d in data])


class LangID(nn.Module):
    def __init__(self, hidden=48):
        super().__init__()
        self.emb = nn.Embedding(26, 20)
        self.lstm = nn.LSTM(20, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, len(names))
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        out, (h, c) = self.lstm(self.emb(x))
        x = self.fc(out.mean(1))
        return self.softmax(x)


model = LangID()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(10):
    tot = 0
    for i in range(0, 1200, 40):
        loss = criterion(model(X[i:i + 40]), Y[i:i + 40])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        tot += loss.item() / 30
    with torch.no_grad():
        p = model(X[1200:])
    print("epoch", epoch, "loss %.4f" % tot, "val_loss %.4f" % criterion(p, Y[1200:]).item(), "val_acc %.3f" % (p.argmax(1) == Y[1200:]).float().mean().item())
# cure: - return self.softmax(x)
# cure: + return x
