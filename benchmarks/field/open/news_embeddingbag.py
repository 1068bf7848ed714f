# expect: healthy
# about: bag-of-words topic classifier in the style of the text tutorials, EmbeddingBag, plain SGD with a rate of 5, gradients clipped at 0.1
import random
import time

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.set_num_threads(1)
random.seed(11)
torch.manual_seed(11)

# ---- corpus: four sections, every section has its own favourite words, most words are common to all
VOCAB, SECTIONS = 2000, 4
common = [1.0 / (r + 3) for r in range(VOCAB)]
own = [random.sample(range(200, VOCAB), 150) for _ in range(SECTIONS)]


def article(label):
    n = random.randint(12, 45)
    words = random.choices(range(VOCAB), weights=common, k=n)
    return label, [random.choice(own[label]) if random.random() < 0.3 else w for w in words]


corpus = [article(random.randrange(SECTIONS)) for _ in range(4600)]
train, valid, test = corpus[:3600], corpus[3600:4000], corpus[4000:]


def collate_batch(batch):
    labels, texts, offsets = [], [], [0]
    for label, text in batch:
        labels.append(label)
        t = torch.tensor(text, dtype=torch.int64)
        texts.append(t)
        offsets.append(t.size(0))
    return torch.tensor(labels), torch.cat(texts), torch.tensor(offsets[:-1]).cumsum(0)


class TextClassificationModel(nn.Module):
    def __init__(self, vocab_size, embed_dim, num_class):
        super().__init__()
        self.embedding = nn.EmbeddingBag(vocab_size, embed_dim, sparse=False)
        self.fc = nn.Linear(embed_dim, num_class)
        self.embedding.weight.data.uniform_(-0.5, 0.5)
        self.fc.weight.data.uniform_(-0.5, 0.5)
        self.fc.bias.data.zero_()

    def forward(self, text, offsets):
        return self.fc(self.embedding(text, offsets))


EPOCHS, LR, BATCH_SIZE = 10, 5.0, 16
model = TextClassificationModel(VOCAB, 32, SECTIONS)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=LR)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.7)


def evaluate(loader):
    model.eval()
    right = count = 0
    with torch.no_grad():
        for label, text, offsets in loader:
            right += (model(text, offsets).argmax(1) == label).sum().item()
            count += label.size(0)
    return right / count


train_dl = DataLoader(train, batch_size=BATCH_SIZE, shuffle=True, collate_fn=collate_batch)
valid_dl = DataLoader(valid, batch_size=64, collate_fn=collate_batch)
test_dl = DataLoader(test, batch_size=64, collate_fn=collate_batch)
best = None
for epoch in range(1, EPOCHS + 1):
    t0 = time.time()
    model.train()
    acc = n = 0
    for label, text, offsets in train_dl:
        optimizer.zero_grad()
        out = model(text, offsets)
        loss = criterion(out, label)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
        acc += (out.argmax(1) == label).sum().item()
        n += len(label)
    val = evaluate(valid_dl)
    scheduler.step()
    print(f"| end of epoch {epoch:2d} | time {time.time() - t0:4.2f}s | train accuracy {acc / n:.3f} | valid accuracy {val:.3f}")
print(f"test accuracy {evaluate(test_dl):.3f} (chance 0.25)")
