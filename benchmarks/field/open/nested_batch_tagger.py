# expect: healthy
# about: entity tagger with nested dict batches as in the transformers library, own collate, padding ignored by -100, 85 % of the tokens are O
import random

import torch
from torch import nn
from torch.utils.data import DataLoader

random.seed(4)
torch.manual_seed(4)
torch.set_num_threads(1)
NAMES, PLACES, WORDS = range(2, 10), range(10, 18), range(18, 60)
TAGS = ["O", "PER", "LOC"]


def sentence():
    ids, tags = [], []
    while len(ids) < random.randint(8, 16):
        r = random.random()
        if r < 0.08:
            ids += [18, random.choice(NAMES)]
            tags += [0, 1]
        elif r < 0.16:
            ids += [19, random.choice(PLACES)]
            tags += [0, 2]
        elif r < 0.22:
            ids += [19, random.choice(NAMES)]
            tags += [0, 2]
        else:
            ids.append(random.choice(WORDS[2:]))
            tags.append(0)
    return {"ids": ids, "tags": tags}


def collate(rows):
    width = max(len(r["ids"]) for r in rows)
    ids = torch.tensor([r["ids"] + [0] * (width - len(r["ids"])) for r in rows])
    tags = torch.tensor([r["tags"] + [-100] * (width - len(r["tags"])) for r in rows])
    return {"inputs": {"input_ids": ids, "attention_mask": (ids != 0).long()}, "labels": {"tags": tags}}


class Tagger(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.word = nn.Embedding(60, d, padding_idx=0)
        self.place = nn.Parameter(torch.randn(1, 32, d))
        block = nn.TransformerEncoderLayer(d, 4, 64, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(block, 2, enable_nested_tensor=False)
        self.out = nn.Linear(d, len(TAGS))

    def forward(self, input_ids, attention_mask):
        h = self.word(input_ids) + self.place[:, : input_ids.shape[1]]
        return {"logits": self.out(self.encoder(h, src_key_padding_mask=attention_mask == 0))}


def compute_loss(model, batch):
    out = model(**batch["inputs"])
    return nn.functional.cross_entropy(out["logits"].flatten(0, 1), batch["labels"]["tags"].flatten(), ignore_index=-100), out


train = DataLoader([sentence() for _ in range(1200)], batch_size=24, shuffle=True, collate_fn=collate)
dev = DataLoader([sentence() for _ in range(200)], batch_size=50, collate_fn=collate)
model = Tagger()
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
for epoch in range(9):
    model.train()
    total = 0.0
    for batch in train:
        loss, _ = compute_loss(model, batch)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    model.eval()
    tp = fp = fn = 0
    with torch.no_grad():
        for batch in dev:
            p, t = compute_loss(model, batch)[1]["logits"].argmax(-1), batch["labels"]["tags"]
            ok = t != -100
            tp += ((p == t) & (t > 0) & ok).sum().item()
            fp += ((p > 0) & (p != t) & ok).sum().item()
            fn += ((t > 0) & (p != t) & ok).sum().item()
    print({"epoch": epoch, "loss": round(total / len(train), 4), "entity_f1": round(2 * tp / max(1, 2 * tp + fp + fn), 3)})
