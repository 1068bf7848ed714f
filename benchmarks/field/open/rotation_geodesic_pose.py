# expect: unstable-math
# about: relative camera rotation from matched points, geodesic distance as the loss
import torch
import torch.nn as nn

torch.manual_seed(40)
torch.set_num_threads(1)


def rodrigues(v):
    th = v.norm(dim=1, keepdim=True).clamp(min=1e-6)
    k = v / th
    K = torch.zeros(len(v), 3, 3)
    K[:, 0, 1], K[:, 0, 2], K[:, 1, 2] = -k[:, 2], k[:, 1], -k[:, 0]
    K = K - K.transpose(1, 2)
    th = th.unsqueeze(-1)
    return torch.eye(3) + th.sin() * K + (1 - th.cos()) * K @ K


def scenes(n):
    v = 0.6 * torch.randn(n, 3) * (torch.rand(n, 1) > 0.2)
    R = rodrigues(v)
    pts = torch.randn(n, 6, 3)
    moved = pts @ R.transpose(1, 2)
    return torch.cat([pts, moved], 2).flatten(1), R


def gram_schmidt(o):
    a = nn.functional.normalize(o[:, :3], dim=1)
    b = nn.functional.normalize(o[:, 3:] - (a * o[:, 3:]).sum(1, keepdim=True) * a, dim=1)
    return torch.stack([a, b, torch.linalg.cross(a, b)], 2)


def geodesic(R1, R2):
    cos = ((R1.transpose(1, 2) @ R2).diagonal(dim1=1, dim2=2).sum(1) - 1) / 2
    return torch.acos(cos.clamp(-1, 1)).mean()


net = nn.Sequential(nn.Linear(36, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 6))
nn.init.zeros_(net[-1].weight)
with torch.no_grad():
    net[-1].bias.copy_(torch.tensor([1.0, 0, 0, 0, 1, 0]))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
xv, rv = scenes(400)
for it in range(1, 1501):
    x, R = scenes(64)
    loss = geodesic(gram_schmidt(net(x)), R)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 150 == 0:
        with torch.no_grad():
            print(f"it {it} loss {loss.item():.4f} rad, val {geodesic(gram_schmidt(net(xv)), rv).item():.4f} rad")
# cure: - return torch.acos(cos.clamp(-1, 1)).mean()
# cure: + return torch.acos(cos.clamp(-1 + 1e-6, 1 - 1e-6)).mean()
