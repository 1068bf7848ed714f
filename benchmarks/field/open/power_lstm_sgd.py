# expect: lr-too-low
# also: no-momentum, undertrained
# about: LSTM load forecast with SGD at 0.001, Trainer class, 25 epochs
import math

import torch
from torch import nn

torch.manual_seed(4)
torch.set_num_threads(1)


class Trainer:
    def __init__(self, model, optimizer, criterion):
        self.model, self.optimizer, self.criterion = model, optimizer, criterion

    def fit(self, train, val, epochs):
        for epoch in range(epochs):
            self.model.train()
            total = 0.0
            for i in torch.randperm(len(train[0])).split(32):
                self.optimizer.zero_grad()
                loss = self.criterion(self.model(train[0][i]), train[1][i])
                loss.backward()
                self.optimizer.step()
                total += loss.item() * len(i)
            print(f"epoch {epoch} train_loss={total / len(train[0]):.5f} val_loss={self.evaluate(val):.5f}")

    @torch.no_grad()
    def evaluate(self, val):
        self.model.eval()
        return self.criterion(self.model(val[0]), val[1]).item()


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(1, 20, batch_first=True)
        self.fc = nn.Linear(20, 1)

    def forward(self, x):
        return self.fc(self.rnn(x)[0][:, -1])


t = torch.arange(900.0)
load = torch.sin(2 * math.pi * t / 24) + 0.5 * torch.sin(2 * math.pi * t / 168) + 0.05 * torch.randn(900)
w = load.unfold(0, 25, 1)
X, Y = w[:, :24, None], w[:, 24:]
model = Forecaster()
trainer = Trainer(model, torch.optim.SGD(model.parameters(), lr=0.001), nn.MSELoss())
trainer.fit((X[:650], Y[:650]), (X[680:], Y[680:]), epochs=25)
# cure: - trainer = Trainer(model, torch.optim.SGD(model.parameters(), lr=0.001), nn.MSELoss())
# cure: + trainer = Trainer(model, torch.optim.SGD(model.parameters(), lr=0.3), nn.MSELoss())
