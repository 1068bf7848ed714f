# expect: healthy
# about: linear SVM on separable data; the hinge reaches exactly zero and only the small L2 term remains, most gradients are zero
import torch

torch.set_num_threads(1)
torch.manual_seed(14)
n = 600
direction = torch.nn.functional.normalize(torch.randn(8), dim=0)
X = torch.randn(4 * n, 8)
margin = X @ direction
X, margin = X[margin.abs() > 0.35][:n], margin[margin.abs() > 0.35][:n]
y = margin.sign()
Xtr, ytr, Xte, yte = X[:450], y[:450], X[450:], y[450:]

svm = torch.nn.Linear(8, 1)
opt = torch.optim.SGD(svm.parameters(), lr=0.1, momentum=0.9)
for epoch in range(60):
    for idx in torch.randperm(len(Xtr)).split(50):
        out = svm(Xtr[idx]).squeeze(1)
        hinge = torch.clamp(1 - ytr[idx] * out, min=0).mean()
        loss = hinge + 1e-5 * svm.weight.pow(2).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 6 == 0:
        with torch.no_grad():
            acc = (svm(Xte).squeeze(1).sign() == yte).float().mean()
            on_margin = (ytr * svm(Xtr).squeeze(1) < 1).sum()
        print(f"epoch {epoch:2d} hinge {hinge.item():.5f} inside margin {int(on_margin)} test acc {acc:.3f}")
