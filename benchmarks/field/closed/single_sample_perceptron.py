# expect: healthy
# about: batch size one, plain SGD with 1/sqrt decay on noisy linear logits; step losses are wild, held-out loss is at the floor
import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(0)
w_true = torch.randn(8)
X = torch.randn(3000, 8)
P = torch.sigmoid(X @ w_true)
Y = torch.bernoulli(P)
Xh = torch.randn(3000, 8)
Ph = torch.sigmoid(Xh @ w_true)
Yh = torch.bernoulli(Ph)
model = nn.Linear(8, 1)
crit = nn.BCEWithLogitsLoss()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda k: 1 / (1 + k / 100) ** 0.5)
avg = 0.0
for k in range(3000):
    loss = crit(model(X[k]), Y[k:k + 1])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    avg += loss.item()
    if k % 300 == 299:
        with torch.no_grad():
            h = crit(model(Xh).squeeze(1), Yh).item()
        print(f"{k + 1} samples, running loss {avg / 300:.4f}, held-out {h:.4f}")
        avg = 0.0
print("held-out loss of the true model %.4f" % nn.functional.binary_cross_entropy(Ph, Yh).item())
