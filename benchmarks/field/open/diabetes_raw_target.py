# expect: healthy
# about: disease progression in raw units (25 to 346); MSE around 3,000 is what anyone gets on this data
import torch
import torch.nn as nn
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

torch.set_num_threads(1)
torch.manual_seed(6)
X, y = load_diabetes(return_X_y=True, scaled=False)
Xtr, Xte, ytr, yte = train_test_split(X, y, test_size=0.25, random_state=3)
mu, sd = Xtr.mean(0), Xtr.std(0)
Xtr, Xte = torch.tensor((Xtr - mu) / sd).float(), torch.tensor((Xte - mu) / sd).float()
ytr, yte = torch.tensor(ytr).float(), torch.tensor(yte).float()


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(10, 16)
        self.fc2 = nn.Linear(16, 1)
        self.fc2.bias.data.fill_(ytr.mean().item())

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x))).flatten()


net = Regressor()
opt = torch.optim.Adam(net.parameters(), lr=0.03, weight_decay=1e-3)
sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 40)
mse = nn.MSELoss()
for epoch in range(40):
    for i in torch.randperm(len(Xtr)).split(32):
        opt.zero_grad()
        loss = mse(net(Xtr[i]), ytr[i])
        loss.backward()
        opt.step()
    sch.step()
    if epoch % 5 == 4:
        with torch.no_grad():
            tr, te = mse(net(Xtr), ytr), mse(net(Xte), yte)
        print(f"epoch {epoch + 1}: train MSE {tr:.1f} test MSE {te:.1f} test R2 {1 - te / yte.var(unbiased=False):.3f}")
