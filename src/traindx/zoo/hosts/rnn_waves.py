"""Vanilla RNN that tells four kinds of noisy waves apart from 28 samples in time."""

import torch
import torch.nn as nn
from torch.nn.utils import clip_grad_norm_

SEED = 0
STEPS = 28


def make_waves(count, generator):
    kinds = torch.randint(0, 4, (count,), generator=generator)
    t = torch.arange(STEPS).float()
    frequency = torch.tensor([0.25, 0.45, 0.7, 1.0])[kinds].unsqueeze(1)
    phase = torch.rand(count, 1, generator=generator) * 6.28
    height = 0.7 + 0.6 * torch.rand(count, 1, generator=generator)
    signal = height * torch.sin(frequency * t + phase)
    signal = signal + 0.25 * torch.randn(count, STEPS, generator=generator)
    return signal.unsqueeze(-1), kinds


class WaveRNN(nn.Module):
    def __init__(self, hidden_size=40):
        super().__init__()
        self.rnn = nn.RNN(input_size=1, hidden_size=hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, 4)
        nn.init.orthogonal_(self.rnn.weight_hh_l0)

    def forward(self, x):
        states, last = self.rnn(x)
        return self.out(states[:, -1])


def run_epoch(model, x, y, optimizer, batch_size=50):
    model.train()
    total_loss = 0.0
    order = torch.randperm(len(x))
    n_batches = len(x) // batch_size
    for i in range(n_batches):
        idx = order[i * batch_size : (i + 1) * batch_size]
        logits = model(x[idx])
        loss = criterion(logits, y[idx])
        optimizer.zero_grad()
        loss.backward()
        clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total_loss += loss.item()
    return total_loss / n_batches


def test(model, x, y):
    model.eval()
    with torch.no_grad():
        logits = model(x)
        return criterion(logits, y).item(), (logits.argmax(1) == y).float().mean().item()


torch.set_num_threads(1)
torch.manual_seed(SEED)
g = torch.Generator().manual_seed(1000 + SEED)
x_train, y_train = make_waves(2000, g)
x_test, y_test = make_waves(600, g)

model = WaveRNN()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
n_epochs = 12
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, n_epochs)
for epoch in range(n_epochs):
    train_loss = run_epoch(model, x_train, y_train, optimizer)
    scheduler.step()
    test_loss, test_acc = test(model, x_test, y_test)
    print(
        "Epoch: %d  Loss: %.4f  Test loss: %.4f  Test acc: %.1f%%" % (epoch + 1, train_loss, test_loss, 100 * test_acc)
    )
print(f"FINAL train_loss={train_loss:.5f} val_loss={test_loss:.5f} quality={test_acc:.4f}")
