# expect: healthy
# about: stochastic weight averaging on wine with a constant SWA rate late in the run; validation once at the end of each stage
import torch
import torch.nn as nn
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.optim.swa_utils import SWALR, AveragedModel

torch.set_num_threads(1)
torch.manual_seed(0)
X, y = load_wine(return_X_y=True)
a, b, ya, yb = train_test_split(X, y, test_size=0.3, random_state=3, stratify=y)
s = StandardScaler().fit(a)
a, b = (torch.tensor(s.transform(v), dtype=torch.float32) for v in (a, b))
ya, yb = torch.tensor(ya), torch.tensor(yb)
net = nn.Sequential(nn.Linear(13, 24), nn.ReLU(), nn.Dropout(0.2), nn.Linear(24, 3))
swa = AveragedModel(net)
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-2)
cos = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 40)
swa_sched = SWALR(opt, swa_lr=0.01)
crit = nn.CrossEntropyLoss()
for epoch in range(60):
    net.train()
    ep = 0
    for i in torch.randperm(len(a)).split(16):
        loss = crit(net(a[i]), ya[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        ep += loss.item() * len(i) / len(a)
    if epoch >= 40:
        swa.update_parameters(net)
        swa_sched.step()
    else:
        cos.step()
    if epoch % 10 == 9:
        net.eval()
        with torch.no_grad():
            print(f"epoch {epoch + 1} train {ep:.4f} test {crit(net(b), yb).item():.4f} acc {(net(b).argmax(1) == yb).float().mean().item():.3f}")
swa.eval()
with torch.no_grad():
    print("SWA test acc %.3f" % (swa(b).argmax(1) == yb).float().mean().item())
