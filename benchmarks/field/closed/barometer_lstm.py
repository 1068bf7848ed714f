# expect: unscaled-inputs
# also: saturated-activations
# about: LSTM rain predictor fed pressure in pascal and humidity in percent as they come from the logger
import numpy as np
import torch
import torch.nn as nn

torch.set_num_threads(1)
np.random.seed(5)
torch.manual_seed(5)
T = 2600
drift = np.cumsum(np.random.randn(T)) * 40
drift -= np.convolve(drift, np.ones(200) / 200, mode="same")
pressure = 101325 + drift + 30 * np.random.randn(T)
humidity = 60 + 15 * np.sin(np.arange(T) / 9) + 5 * np.random.randn(T)
L = 12
trend = pressure[L - 1:-1] - pressure[:-L]
rain = ((-trend / 150 + (humidity[L - 1:-1] - 60) / 12 + 0.3 * np.random.randn(len(trend))) > 0.3).astype(np.float32)
channels = np.stack([pressure, humidity], 1)
seqs = np.stack([channels[i:i + L] for i in range(len(rain))]).astype(np.float32)
X, y = torch.tensor(seqs), torch.tensor(rain)
ntr = 2000


class RainLSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(2, 32, batch_first=True)
        self.fc = nn.Linear(32, 1)

    def forward(self, x):
        _, (h, _) = self.lstm(x)
        return self.fc(h[-1]).squeeze(1)


model = RainLSTM()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
criterion = nn.BCEWithLogitsLoss()
for epoch in range(10):
    total = 0
    for idx in torch.randperm(ntr).split(50):
        optimizer.zero_grad()
        loss = criterion(model(X[idx]), y[idx])
        loss.backward()
        optimizer.step()
        total += loss.item() * len(idx) / ntr
    with torch.no_grad():
        out = model(X[ntr:])
        print("Epoch: %d, loss: %1.5f, test loss %1.5f, test acc %.3f (dry share %.3f)" % (epoch, total, criterion(out, y[ntr:]).item(), ((out > 0) == (y[ntr:] > 0.5)).float().mean().item(), 1 - y[ntr:].mean().item()))
# cure: - channels = np.stack([pressure, humidity], 1)
# cure: + channels = np.stack([pressure, humidity], 1)
# cure: + channels = (channels - channels[:2000].mean(0)) / channels[:2000].std(0)
