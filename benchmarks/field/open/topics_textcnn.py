# expect: train-val-mismatch
# also: noisy-labels
# about: two vocabularies: the validation text is numericalised with its own word ids
import random

import torch
from torch import nn

random.seed(3)
torch.manual_seed(3)
torch.set_num_threads(1)
TOPICS = {0: "ball goal team match score win".split(), 1: "vote law party state tax bill".split(), 2: "cell gene drug trial dose virus".split()}
FILLER = "the a of and to in that it was for on with".split()


def article():
    t = random.randrange(3)
    words = [random.choice(TOPICS[t] if random.random() < 0.35 else FILLER) for _ in range(20)]
    return words, t


class Vocab:
    def __init__(self, texts):
        self.ids = {"<unk>": 0}
        for words in texts:
            for w in words:
                self.ids.setdefault(w, len(self.ids))

    def encode(self, texts):
        return torch.tensor([[self.ids.get(w, 0) for w in words] for words in texts])


train, val = [article() for _ in range(900)], [article() for _ in range(300)]
train_vocab = Vocab(w for w, _ in train)
val_vocab = Vocab(w for w, _ in val)
Xt, yt = train_vocab.encode([w for w, _ in train]), torch.tensor([t for _, t in train])
Xv, yv = val_vocab.encode([w for w, _ in val]), torch.tensor([t for _, t in val])


class TextCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(40, 16)
        self.conv = nn.Conv1d(16, 24, 3, padding=1)
        self.fc = nn.Linear(24, 3)

    def forward(self, x):
        return self.fc(torch.relu(self.conv(self.emb(x).transpose(1, 2))).amax(2))


m = TextCNN()
opt = torch.optim.Adam(m.parameters(), lr=2e-3)
ce = nn.CrossEntropyLoss()
for e in range(10):
    for b in torch.randperm(900).split(30):
        loss = ce(m(Xt[b]), yt[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        o = m(Xv)
        print(f"epoch {e}: train {ce(m(Xt), yt).item():.4f}  val {ce(o, yv).item():.4f}  val acc {(o.argmax(1) == yv).float().mean().item():.3f}")
# cure: - Xv, yv = val_vocab.encode([w for w, _ in val]), torch.tensor([t for _, t in val])
# cure: + Xv, yv = train_vocab.encode([w for w, _ in val]), torch.tensor([t for _, t in val])
