# expect: healthy
# about: DANN with gradient reversal: the domain loss climbs toward log 2 because the features are meant to fool it
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Function

torch.set_num_threads(1)
torch.manual_seed(17)


class Reverse(Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -ctx.lam * g, None


def blobs(n, shift):
    y = torch.randint(0, 3, (n,))
    centres = torch.tensor([[0.0, 2.0], [2.0, -1.0], [-2.0, -1.0]])
    x = torch.cat([centres[y] + 0.6 * torch.randn(n, 2), 0.5 * torch.randn(n, 6)], 1)
    x[:, 2:5] += shift
    x[:, 0] += 0.3 * shift
    return x, y


xs, ys = blobs(2000, 0.0)
xt, yt = blobs(2000, 1.5)
features = nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, 16), nn.ReLU())
classifier = nn.Linear(16, 3)
domain = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam([*features.parameters(), *classifier.parameters(), *domain.parameters()], lr=1e-3)
total = 900
for step in range(total):
    lam = min(1.0, step / (0.5 * total))
    i, j = torch.randint(0, 2000, (64,)), torch.randint(0, 2000, (64,))
    fs, ft = features(xs[i]), features(xt[j])
    label_loss = F.cross_entropy(classifier(fs), ys[i])
    d = domain(Reverse.apply(torch.cat([fs, ft]), lam)).squeeze(1)
    d_loss = F.binary_cross_entropy_with_logits(d, torch.cat([torch.zeros(64), torch.ones(64)]))
    loss = label_loss + d_loss
    opt.zero_grad()
    loss.backward()
    opt.step()
    if (step + 1) % 90 == 0:
        with torch.no_grad():
            acc_s = (classifier(features(xs)).argmax(1) == ys).float().mean()
            acc_t = (classifier(features(xt)).argmax(1) == yt).float().mean()
        print(f"{step + 1} label {label_loss.item():.3f} domain {d_loss.item():.3f} source acc {acc_s:.3f} target acc {acc_t:.3f}")
