# expect: unshuffled-data
# about: which language a word comes from, one file per language read one after the other into the loader
import random

import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset

torch.manual_seed(0)
random.seed(0)
torch.set_num_threads(1)
LANGS = ["aa", "bb", "cc", "dd", "ee"]
TABLE = {lang: [[random.random() ** 4 for _ in range(12)] for _ in range(12)] for lang in LANGS}


def word(lang):
    chars = [random.randrange(12)]
    for _ in range(9):
        chars.append(random.choices(range(12), TABLE[lang][chars[-1]])[0])
    return torch.tensor(chars)


class WordFile(Dataset):
    def __init__(self, lang, n):
        self.words = [word(lang) for _ in range(n)]
        self.label = LANGS.index(lang)

    def __len__(self):
        return len(self.words)

    def __getitem__(self, i):
        return self.words[i], self.label


class LangID(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(12, 16)
        self.gru = nn.GRU(16, 48, batch_first=True)
        self.out = nn.Linear(48, len(LANGS))

    def forward(self, w):
        return self.out(self.gru(self.emb(w))[1][0])


train = ConcatDataset([WordFile(lang, 500) for lang in LANGS])
test = ConcatDataset([WordFile(lang, 80) for lang in LANGS])
train_loader = DataLoader(train, batch_size=50)
model = LangID()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(10):
    losses = []
    for w, y in train_loader:
        loss = nn.functional.cross_entropy(model(w), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    with torch.no_grad():
        w, y = next(iter(DataLoader(test, len(test))))
        acc = (model(w).argmax(1) == y).float().mean()
    print(f"epoch {epoch + 1} mean loss {sum(losses) / len(losses):.4f} last {losses[-1]:.4f} test acc {acc:.3f}")
# cure: - train_loader = DataLoader(train, batch_size=50)
# cure: + train_loader = DataLoader(train, batch_size=50, shuffle=True)
