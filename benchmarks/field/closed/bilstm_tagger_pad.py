# expect: healthy
# about: BiLSTM tagger with padding, ignore_index and packed sequences; dropout makes train loss sit above dev loss
import random
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader

torch.set_num_threads(1)
random.seed(4)
torch.manual_seed(4)
NOUN, VERB, DET, ADJ = [list(range(a, b)) for a, b in ((1, 40), (30, 70), (70, 76), (76, 100))]


def make_sentence():
    toks, tags = [], []
    for _ in range(random.randint(1, 3)):
        toks.append(random.choice(DET)); tags.append(0)
        for _ in range(random.randint(0, 2)):
            toks.append(random.choice(ADJ)); tags.append(1)
        toks.append(random.choice(NOUN)); tags.append(2)
        toks.append(random.choice(VERB)); tags.append(3)
    return torch.tensor(toks), torch.tensor(tags)


def collate(batch):
    xs, ys = zip(*batch)
    return pad_sequence(xs, batch_first=True), pad_sequence(ys, batch_first=True, padding_value=-1), torch.tensor([len(x) for x in xs])


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(100, 24, padding_idx=0)
        self.drop = nn.Dropout(0.4)
        self.rnn = nn.LSTM(24, 32, batch_first=True, bidirectional=True)
        self.out = nn.Linear(64, 4)

    def forward(self, x, lens):
        e = self.drop(self.emb(x))
        h, _ = pad_packed_sequence(self.rnn(pack_padded_sequence(e, lens, batch_first=True, enforce_sorted=False))[0], batch_first=True)
        return self.out(self.drop(h))


train = DataLoader([make_sentence() for _ in range(1200)], batch_size=32, shuffle=True, collate_fn=collate)
dev = DataLoader([make_sentence() for _ in range(300)], batch_size=100, collate_fn=collate)
model = Tagger()
criterion = nn.CrossEntropyLoss(ignore_index=-1)
optimizer = torch.optim.NAdam(model.parameters(), lr=2e-3)


def run(loader, training):
    model.train(training)
    tot, right, n = 0.0, 0, 0
    with torch.set_grad_enabled(training):
        for x, y, lens in loader:
            logits = model(x, lens)
            loss = criterion(logits.flatten(0, 1), y.flatten())
            if training:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            mask = y != -1
            tot += loss.item() * mask.sum().item()
            right += (logits.argmax(-1) == y)[mask].sum().item()
            n += mask.sum().item()
    return tot / n, right / n


for ep in range(6):
    tr, _ = run(train, True)
    dv, acc = run(dev, False)
    print(f"epoch {ep} train {tr:.4f} dev {dv:.4f} dev acc {acc:.4f}")
