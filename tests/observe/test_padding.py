"""Padding among targets: found in the ways people write padded losses, and in no ordinary program without it."""

from __future__ import annotations

import subprocess

import pytest
from small_loops import named

from traindx.diagnosis import diagnose
from traindx.signs import Sign
from traindx.signs.data.batches import padding_counted

# Sentences of 3 to 12 tokens (ids 4 and above), an end mark (2), and padding (0).
SETUP = """
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader
V = 30
def sentence(low=3, high=13):
    words = torch.randint(4, V, (int(torch.randint(low, high, ())),))
    return torch.cat([torch.tensor([1]), words, torch.tensor([2])])
sentences = [sentence() for _ in range(160)]
def pad(rows, value=0, batch_first=True):
    return pad_sequence(rows, batch_first=batch_first, padding_value=value)
class Tagger(nn.Module):
    def __init__(self, inputs=V, classes=V, batch_first=True):
        super().__init__()
        self.embed = nn.Embedding(inputs, 16)
        self.lstm = nn.LSTM(16, 24, batch_first=batch_first)
        self.head = nn.Linear(24, classes)
    def forward(self, ids):
        return self.head(self.lstm(self.embed(ids))[0])
def train(model, batches, loss_of, epochs=4):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(epochs):
        for batch in batches:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
"""

SHIFTED = """
batches = DataLoader(sentences, batch_size=16, shuffle=True, collate_fn=pad)
"""

PADDED = {
    "next token, flattened view": SHIFTED + """
def loss_of(model, ids):
    x, y = ids[:, :-1], ids[:, 1:].contiguous()
    return criterion(model(x).view(-1, V), y.view(-1))
train(Tagger(), batches, loss_of)
""",
    "next token, reshaped copy": SHIFTED + """
def loss_of(model, ids):
    return criterion(model(ids[:, :-1]).reshape(-1, V), ids[:, 1:].reshape(-1))
train(Tagger(), batches, loss_of)
""",
    "shifted by one, filled up with ignored targets": SHIFTED + """
sentences[:] = [sentence[:-1] for sentence in sentences]
def loss_of(model, ids):
    y = F.pad(ids, (0, 1), value=-100)[:, 1:].contiguous()
    return criterion(model(ids).view(-1, V), y.view(-1))
train(Tagger(), batches, loss_of)
""",
    "classes on the second axis": SHIFTED + """
def loss_of(model, ids):
    return criterion(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:])
train(Tagger(), batches, loss_of)
""",
    "head on flattened states": SHIFTED + """
class Flat(Tagger):
    def forward(self, ids):
        return self.head(self.lstm(self.embed(ids))[0].reshape(-1, 24))
def loss_of(model, ids):
    return criterion(model(ids[:, :-1]), ids[:, 1:].flatten())
train(Flat(), batches, loss_of)
""",
    "time first": """
batches = DataLoader(sentences, batch_size=16, collate_fn=lambda rows: pad(rows, batch_first=False))
def loss_of(model, ids):
    return criterion(model(ids[:-1]).view(-1, V), ids[1:].view(-1))
train(Tagger(batch_first=False), batches, loss_of)
""",
    "loss within the model": SHIFTED + """
class Own(Tagger):
    def forward(self, ids):
        logits = super().forward(ids[:, :-1])
        return criterion(logits.reshape(-1, V), ids[:, 1:].reshape(-1))
train(Own(), batches, lambda model, ids: model(ids))
""",
    "encoder and decoder": """
def both(rows):
    return pad([row.flip(0) for row in rows]), pad(rows)
class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(V, 16)
        self.encoder, self.decoder = nn.GRU(16, 24, batch_first=True), nn.GRU(16, 24, batch_first=True)
        self.head = nn.Linear(24, V)
    def forward(self, source, target):
        state = self.encoder(self.embed(source))[1]
        return self.head(self.decoder(self.embed(target), state)[0])
def loss_of(model, pair):
    source, target = pair
    out = model(source, target[:, :-1])
    return criterion(out.reshape(-1, out.shape[-1]), target[:, 1:].reshape(-1))
train(Translator(), DataLoader(sentences, batch_size=16, collate_fn=both), loss_of)
""",
    "tags, one for each token, without an end mark": """
def both(rows):
    return pad([row[1:-1] for row in rows]), pad([1 + row[1:-1] % 5 for row in rows])
def loss_of(model, pair):
    x, tags = pair
    return criterion(model(x).view(-1, 6), tags.view(-1))
train(Tagger(classes=6), DataLoader(sentences, batch_size=16, collate_fn=both), loss_of)
""",
}  # fmt: skip

COUNTED = "criterion = nn.CrossEntropyLoss()"
IGNORED = {
    "ignore_index": "criterion = nn.CrossEntropyLoss(ignore_index=0)",
    "weight of zero": """
weight = torch.ones(V)
weight[0] = 0
criterion = lambda scores, target: F.cross_entropy(scores, target, weight[:scores.shape[1]])
""",
    "masked by hand": """
def criterion(scores, target):
    each = F.cross_entropy(scores, target, reduction="none")
    return (each * (target != 0)).sum() / (target != 0).sum()
""",
    "selected by hand": """
def criterion(scores, target):
    return F.cross_entropy(scores[target != 0], target[target != 0])
""",
}

HEALTHY = {
    "packed text": """
corpus = torch.cat(sentences)
rows = corpus[: len(corpus) // 21 * 21].view(-1, 21)
def loss_of(model, ids):
    return criterion(model(ids[:, :-1]).reshape(-1, V), ids[:, 1:].reshape(-1))
train(Tagger(), DataLoader(rows, batch_size=16, shuffle=True), loss_of, epochs=8)
""",
    "images": """
x, y = torch.randn(160, 1, 8, 8), torch.randint(0, 10, (160, 1))
model = nn.Sequential(nn.Flatten(), nn.Linear(64, 10))
train(model, DataLoader(list(zip(x, y)), batch_size=16),
      lambda model, pair: criterion(model(pair[0]), pair[1].view(-1)))
""",
    "masks with background at the borders": """
masks = torch.zeros(160, 12, 12, dtype=torch.long)
for mask in masks:
    top, size = torch.randint(0, 5, (2,)).tolist()
    mask[top : top + 3 + size, 2:9] = int(torch.randint(1, 4, ()))
x = masks[:, None].float() + torch.randn(160, 1, 12, 12)
model = nn.Conv2d(1, 4, 3, padding=1)
def loss_of(model, pair):
    return criterion(model(pair[0]).permute(0, 2, 3, 1).reshape(-1, 4), pair[1].view(-1))
train(model, DataLoader(list(zip(x, masks)), batch_size=16), loss_of)
train(model, DataLoader(list(zip(x, masks)), batch_size=16), lambda model, pair: criterion(model(pair[0]), pair[1]))
train(model, DataLoader(list(zip(x, masks)), batch_size=16),
      lambda model, pair: criterion(model(pair[0]).flatten(2), pair[1].flatten(1)))
""",
    "label of what comes after an event": """
x = torch.randn(160, 12, 3)
when = torch.randint(3, 12, (160, 1))
y = (torch.arange(12) >= when).long() + (torch.arange(12) >= when - 2).long()
x[..., 0] += y
model = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 3))
train(model, DataLoader(list(zip(x, y)), batch_size=16),
      lambda model, pair: criterion(model(pair[0]).view(-1, 3), pair[1].view(-1)))
""",
    "sorting": """
x = torch.randint(0, 6, (160, 9))
train(Tagger(6, 6), DataLoader(list(zip(x, x.sort(1).values)), batch_size=16),
      lambda model, pair: criterion(model(pair[0]).view(-1, 6), pair[1].view(-1)))
""",
    "end mark repeated up to the longest row": """
batches = DataLoader([row[:-1] for row in sentences], batch_size=16, collate_fn=lambda rows: pad([*rows], 2))
def loss_of(model, ids):
    ids = F.pad(ids, (0, 1), value=2)
    return criterion(model(ids[:, :-1]).reshape(-1, V), ids[:, 1:].reshape(-1))
train(Tagger(), batches, loss_of)
""",
    "slots that may be empty": """
lengths = torch.randint(1, 6, (160, 1))
y = torch.where(torch.arange(5) < lengths, torch.randint(0, 10, (160, 5)), 10)
x = F.one_hot(y, 11).float().flatten(1) + 0.1 * torch.randn(160, 55)
model = nn.Linear(55, 55)
train(model, DataLoader(list(zip(x, y)), batch_size=16),
      lambda model, pair: criterion(model(pair[0]).view(-1, 11), pair[1].view(-1)))
""",
}  # fmt: skip


def padding_of(observed, source):
    outcome = observed(SETUP + source)
    assert outcome.code == 0, outcome.err
    assert "observers_off" not in outcome.run.facts
    return outcome.run


@pytest.mark.parametrize("style", PADDED)
def test_padding_in_the_loss_is_seen(observed, style):
    run = padding_of(observed, COUNTED + PADDED[style])
    padding = run.facts["padding"]
    assert padding["id"] == 0 and padding["counted"] == 1.0 and 0.2 < padding["share"] < 0.6
    assert padding["site"]["text"].startswith(("return criterion", "return self.head"))
    found = padding_counted.measure(run)
    assert isinstance(found, Sign) and found.raised


@pytest.mark.parametrize("way", IGNORED)
@pytest.mark.parametrize("style", ["next token, flattened view", "next token, reshaped copy", "encoder and decoder"])
def test_padding_that_is_left_out_is_not_claimed(observed, way, style):
    run = padding_of(observed, IGNORED[way] + PADDED[style])
    found = padding_counted.measure(run)
    assert not isinstance(found, Sign) or found.level == 0.0


def test_targets_of_minus_one_hundred_are_ignored_by_default(observed):
    source = PADDED["next token, flattened view"].replace("y.view(-1)", "y.masked_fill(y == 0, -100).view(-1)")
    padding = padding_of(observed, COUNTED + source).facts["padding"]
    assert padding["id"] == -100 and padding["counted"] == 0.0 and padding["share"] > 0.2


@pytest.mark.parametrize("program", HEALTHY)
def test_ordinary_programs_have_no_padding(observed, program):
    run = padding_of(observed, COUNTED + HEALTHY[program])
    found = padding_counted.measure(run)
    assert not isinstance(found, Sign) or found.level == 0.0, found


def test_the_cause_is_named_and_its_patch_removes_it(observed):
    ran = observed(SETUP + COUNTED + PADDED["encoder and decoder"])
    path, source = ran.script, ran.script.read_text()
    found = diagnose(ran.run)
    assert found.verdict == "sick" and found.hypotheses[0].cause == "padding-in-loss"
    fix = found.hypotheses[0].fix
    assert fix is not None and fix.patch is not None
    subprocess.run(["patch", "-p1", "--fuzz=0", "-s"], cwd=path.parent, input=fix.patch.encode(), check=True)
    assert path.read_text() == source.replace("CrossEntropyLoss()", "CrossEntropyLoss(ignore_index=0)")
    again = observed(path)
    assert again.code == 0 and again.run.facts["padding"]["counted"] == 0.0
    assert "padding-in-loss" not in named(again.run)
