# expect: healthy
# about: logistic regression that converged long ago; the tail is flat at the Bayes error, gradients are tiny
import torch

torch.manual_seed(0)
torch.set_num_threads(1)
beta = torch.tensor([1.0, -0.5, 0.25, 0.0, 0.8])
X = torch.randn(5000, 5)
y = torch.bernoulli(torch.sigmoid(X @ beta + 0.2))
Xh = torch.randn(2000, 5)
yh = torch.bernoulli(torch.sigmoid(Xh @ beta + 0.2))
model = torch.nn.Linear(5, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.5)
bce = torch.nn.BCEWithLogitsLoss()
for it in range(1200):
    loss = bce(model(X).squeeze(1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 100 == 99:
        with torch.no_grad():
            print(it + 1, "loss %.5f" % loss.item(), "heldout %.5f" % bce(model(Xh).squeeze(1), yh).item(), model.weight.data.round(decimals=3).tolist())
