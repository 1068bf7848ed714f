"""Character-level LSTM on the source of a standard library module; the hidden state is carried along the text."""

import inspect
import random
import textwrap

import torch
import torch.nn as nn

torch.set_num_threads(1)
SEED = 0
torch.manual_seed(SEED)

paragraphs = inspect.getsource(textwrap).split("\n\n")
random.Random(SEED).shuffle(paragraphs)
text = "\n\n".join(paragraphs)[:16000]
chars = sorted(set(text))
index = {c: i for i, c in enumerate(chars)}
data = torch.tensor([index[c] for c in text])
cut = int(len(data) * 0.85)
train_data, val_data = data[:cut], data[cut:]


def batchify(ids, batch_size):
    n = len(ids) // batch_size
    return ids[: n * batch_size].view(batch_size, n)


class CharLSTM(nn.Module):
    def __init__(self, vocab, embed=24, hidden=64):
        super().__init__()
        self.hidden = hidden
        self.embed = nn.Embedding(vocab, embed)
        self.drop = nn.Dropout(0.1)
        self.lstm = nn.LSTM(embed, hidden, batch_first=True)
        self.decoder = nn.Linear(hidden, vocab)

    def forward(self, tokens, state):
        emb = self.drop(self.embed(tokens))
        output, state = self.lstm(emb, state)
        return self.decoder(output), state

    def init_state(self, batch_size):
        return torch.zeros(1, batch_size, self.hidden), torch.zeros(1, batch_size, self.hidden)


def repackage(state):
    return tuple(s.detach() for s in state)


BATCH, BPTT = 16, 32
train_ids = batchify(train_data, BATCH)
val_ids = batchify(val_data, BATCH)
model = CharLSTM(len(chars))
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
steps_per_epoch = (train_ids.size(1) - 1) // BPTT
max_steps = 9 * steps_per_epoch
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=max_steps, pct_start=0.1)


def evaluate():
    model.eval()
    state = model.init_state(BATCH)
    loss_sum, hits, count = 0.0, 0, 0
    with torch.no_grad():
        for start in range(0, val_ids.size(1) - 1, BPTT):
            width = min(BPTT, val_ids.size(1) - 1 - start)
            inputs = val_ids[:, start : start + width]
            targets = val_ids[:, start + 1 : start + 1 + width]
            logits, state = model(inputs, state)
            loss_sum += loss_fn(logits.reshape(-1, len(chars)), targets.reshape(-1)).item() * targets.numel()
            hits += (logits.argmax(-1) == targets).sum().item()
            count += targets.numel()
    return loss_sum / count, hits / count


step, running = 0, []
while step < max_steps:
    if step % steps_per_epoch == 0:
        state = model.init_state(BATCH)
    model.train()
    start = (step % steps_per_epoch) * BPTT
    inputs = train_ids[:, start : start + BPTT]
    targets = train_ids[:, start + 1 : start + 1 + BPTT]
    state = repackage(state)
    logits, state = model(inputs, state)
    loss = loss_fn(logits.reshape(-1, len(chars)), targets.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
    running.append(loss.item())
    step += 1
    if step % steps_per_epoch == 0:
        val_loss, val_acc = evaluate()
        train_loss = sum(running) / len(running)
        print(f"step {step} train {train_loss:.3f} val {val_loss:.3f} next-char acc {val_acc:.3f}")
        running = []

print(f"FINAL train_loss={train_loss:.5f} val_loss={val_loss:.5f} quality={val_acc:.4f}")
