# expect: healthy
# Time series homework 4
# predict next value of a noisy signal
import numpy as np
import torch
import torch.nn as nn
import matplotlib
matplotlib.use("Agg")

np.random.seed(0); torch.manual_seed(0)
t = np.arange(0, 1200)
signal = np.sin(0.07 * t) + 0.5 * np.sin(0.19 * t + 1) + 0.08 * np.random.randn(len(t))

window = 30
Xs, Ys = [], []
for i in range(len(signal) - window):
    Xs.append(signal[i:i + window])
    Ys.append(signal[i + window])
Xs = torch.tensor(np.array(Xs)).float().unsqueeze(-1)
Ys = torch.tensor(np.array(Ys)).float().unsqueeze(-1)
split = 900
x_train, y_train, x_test, y_test = Xs[:split], Ys[:split], Xs[split:], Ys[split:]
print(x_train.shape, y_train.shape)


class MyLSTM(nn.Module):
    def __init__(self):
        super(MyLSTM, self).__init__()
        self.lstm = nn.LSTM(1, 32, batch_first=True)
        self.linear = nn.Linear(32, 1)

    def forward(self, x):
        out, (h, c) = self.lstm(x)
        return self.linear(out[:, -1, :])


my_model = MyLSTM()
loss_fn = nn.MSELoss()
opt = torch.optim.Adam(my_model.parameters(), lr=0.005)
history = []
for epoch in range(15):
    order = np.random.permutation(split)
    total = 0
    for k in range(0, split, 50):
        ii = order[k:k + 50]
        opt.zero_grad()
        l = loss_fn(my_model(x_train[ii]), y_train[ii])
        l.backward()
        opt.step()
        total += l.item()
    history.append(total / (split / 50))
    print('epoch %d, loss = %.5f' % (epoch + 1, history[-1]))

my_model.eval()
with torch.no_grad():
    test_mse = loss_fn(my_model(x_test), y_test).item()
print('test mse:', test_mse, ' naive:', ((x_test[:, -1] - y_test) ** 2).mean().item())
