# expect: lr-too-high
# about: logistic regression of noisy outcomes, one sample for each update at a rate of 0.3
import torch

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(4000, 20)
w_true = torch.randn(20) * 0.35
y = (torch.rand(4000) < torch.sigmoid(X @ w_true)).float()
w = torch.zeros(20, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
opt = torch.optim.SGD([w, b], lr=0.3)
batch = 1
bce = torch.nn.functional.binary_cross_entropy_with_logits
best = bce(X[3000:] @ w_true, y[3000:]).item()
for step in range(1, 3001):
    i = torch.randint(0, 3000, (batch,))
    loss = bce(X[i] @ w + b, y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 300 == 0:
        with torch.no_grad():
            print(f"step {step} train {bce(X[:3000] @ w + b, y[:3000]).item():.4f} val {bce(X[3000:] @ w + b, y[3000:]).item():.4f} (true model {best:.4f})")
# cure: - opt = torch.optim.SGD([w, b], lr=0.3)
# cure: + opt = torch.optim.SGD([w, b], lr=0.01)
