# expect: missing-zero-grad
# about: student's sentiment homework, EmbeddingBag with SGD and a train function
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)

VOCAB, DOC = 300, 15
tone = torch.randn(VOCAB)
docs = torch.randint(0, VOCAB, (2400, DOC))
stars = (tone[docs].mean(1) > 0).long()


class Sentiment(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(VOCAB, 16)
        self.fc = nn.Linear(16, 32)
        self.out = nn.Linear(32, 2)

    def forward(self, d):
        return self.out(torch.relu(self.fc(self.bag(d))))


def train(model, optimizer, criterion, x, y, batch_size=40):
    model.train()
    total_loss, total_acc = 0, 0
    perm = torch.randperm(len(x))
    for i in range(0, len(x), batch_size):
        ids = perm[i:i + batch_size]
        optimizer.zero_grad
        predictions = model(x[ids])
        loss = criterion(predictions, y[ids])
        acc = (predictions.argmax(1) == y[ids]).float().mean()
        loss.backward()
        optimizer.step()
        total_loss += loss.item()
        total_acc += acc.item()
    n = len(x) / batch_size
    return total_loss / n, total_acc / n


model = Sentiment()
optimizer = torch.optim.SGD(model.parameters(), lr=1.0, momentum=0.5)
criterion = nn.CrossEntropyLoss()
for epoch in range(14):
    tl, ta = train(model, optimizer, criterion, docs[:2000], stars[:2000])
    model.eval()
    with torch.no_grad():
        p = model(docs[2000:])
        print(f'Epoch: {epoch+1:02} | Train Loss: {tl:.3f} | Train Acc: {ta*100:.2f}% | Val. Loss: {criterion(p, stars[2000:]):.3f} | Val. Acc: {(p.argmax(1) == stars[2000:]).float().mean()*100:.2f}%')
# cure: - optimizer.zero_grad
# cure: + optimizer.zero_grad()
