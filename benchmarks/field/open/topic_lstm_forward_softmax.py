# expect: double-softmax
# about: LSTM topic classifier with twelve classes, forward returns class probabilities for the demo page
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(25)
torch.set_num_threads(1)
CLASSES, VOCAB = 12, 360


class Docs(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, CLASSES, (n,), generator=g)
        own = self.y[:, None] * 30 + torch.randint(0, 30, (n, 16), generator=g)
        anyword = torch.randint(0, VOCAB, (n, 16), generator=g)
        self.x = torch.where(torch.rand(n, 16, generator=g) < 0.4, own, anyword)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class TopicLSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, 32)
        self.lstm = nn.LSTM(32, 48, batch_first=True)
        self.linear = nn.Linear(48, CLASSES)

    def forward(self, tokens):
        states, _ = self.lstm(self.embed(tokens))
        scores = self.linear(states.mean(1))
        return F.softmax(scores, dim=1)


model = TopicLSTM()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
train_loader = DataLoader(Docs(1920, 0), batch_size=32, shuffle=True)
valid_loader = DataLoader(Docs(480, 1), batch_size=120)
for epoch in range(6):
    model.train()
    losses = []
    for tokens, topic in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(tokens), topic)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        acc = sum((model(a).argmax(1) == b).sum().item() for a, b in valid_loader) / 480
    print(f"Epoch: {epoch + 1:02} | Train Loss: {sum(losses) / len(losses):.3f} | Val. Acc: {acc * 100:.2f}%")
# cure: - return F.softmax(scores, dim=1)
# cure: + return scores
