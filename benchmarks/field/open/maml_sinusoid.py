# expect: healthy
# about: second-order MAML with functional updates; the loss before adaptation stays high by nature
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(0)
sizes = [(40, 1), (40,), (40, 40), (40,), (1, 40), (1,)]
weights = [torch.randn(s) / (s[1] ** 0.5) if len(s) == 2 else torch.zeros(s) for s in sizes]
for w in weights:
    w.requires_grad_(True)


def net(x, w):
    x = torch.relu(F.linear(x, w[0], w[1]))
    x = torch.relu(F.linear(x, w[2], w[3]))
    return F.linear(x, w[4], w[5])


def task():
    amp, ph = 0.5 + 2.5 * torch.rand(1), 3.14 * torch.rand(1)
    def draw(k):
        x = 6 * torch.rand(k, 1) - 3
        return x, amp * torch.sin(x + ph)
    return draw


def adapt(w, x, y, steps=1, create_graph=True):
    for _ in range(steps):
        g = torch.autograd.grad(F.mse_loss(net(x, w), y), w, create_graph=create_graph)
        w = [a - 0.02 * b for a, b in zip(w, g)]
    return w


meta = torch.optim.Adam(weights, lr=3e-3)
for it in range(1, 801):
    post = pre = 0.0
    for _ in range(4):
        draw = task()
        x, y = draw(10)
        xq, yq = draw(10)
        pre += F.mse_loss(net(xq, weights), yq).item() / 4
        post = post + F.mse_loss(net(xq, adapt(weights, x, y)), yq) / 4
    meta.zero_grad()
    post.backward()
    meta.step()
    if it % 100 == 0:
        errs = []
        for _ in range(40):
            draw = task()
            x, y = draw(10)
            w = adapt([v.detach().requires_grad_(True) for v in weights], x, y, steps=5, create_graph=False)
            xq, yq = draw(100)
            with torch.no_grad():
                errs.append(F.mse_loss(net(xq, w), yq).item())
        print(f"meta {it} pre {pre:.3f} post {post.item():.3f} | 5-step test error {sum(errs) / 40:.3f}")
