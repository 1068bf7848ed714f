# expect: missing-zero-grad
"""Character level language model trained on a few stdlib modules."""
import argparse
import inspect
import textwrap, string, json.decoder, heapq, bisect

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--hidden", type=int, default=96)
parser.add_argument("--steps", type=int, default=350)
parser.add_argument("--batch", type=int, default=32)
parser.add_argument("--block", type=int, default=48)
parser.add_argument("--lr", type=float, default=5e-3)
args = parser.parse_args([])

torch.manual_seed(1337)
text = "".join(inspect.getsource(m) for m in (textwrap, string, json.decoder, heapq, bisect))
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])
n = int(0.9 * len(data))
train_data, val_data = data[:n], data[n:]
print(f"{len(data)} characters, vocabulary {len(chars)}")


def get_batch(src):
    ix = torch.randint(len(src) - args.block - 1, (args.batch,))
    x = torch.stack([src[i:i + args.block] for i in ix])
    y = torch.stack([src[i + 1:i + args.block + 1] for i in ix])
    return x, y


class CharGRU(nn.Module):
    def __init__(self, vocab, hidden):
        super().__init__()
        self.emb = nn.Embedding(vocab, 32)
        self.rnn = nn.GRU(32, hidden, batch_first=True)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, x):
        h, _ = self.rnn(self.emb(x))
        return self.out(h)


model = CharGRU(len(chars), args.hidden)
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
loss_fn = nn.CrossEntropyLoss()


@torch.no_grad()
def estimate():
    model.eval()
    losses = []
    for _ in range(10):
        x, y = get_batch(val_data)
        losses.append(loss_fn(model(x).flatten(0, 1), y.flatten()).item())
    model.train()
    return sum(losses) / len(losses)


for step in range(1, args.steps + 1):
    x, y = get_batch(train_data)
    logits = model(x)
    loss = loss_fn(logits.flatten(0, 1), y.flatten())
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        print(f"step {step}: train {loss.item():.3f} val {estimate():.3f}")
