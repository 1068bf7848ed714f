# expect: unstable-math
# about: pose tracker on 6-d rotations with geodesic and smoothness terms through acos; starts well, then the loss is nan
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(11)


def random_rotations(n):
    q = F.normalize(torch.randn(n, 4), dim=1)
    w, x, y, z = q.unbind(1)
    return torch.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], 1).view(n, 3, 3)


def six_d(v):
    a = F.normalize(v[:, :3], dim=1)
    b = F.normalize(v[:, 3:] - (a * v[:, 3:]).sum(1, keepdim=True) * a, dim=1)
    return torch.stack([a, b, torch.cross(a, b, dim=1)], 2)


def geodesic(R, S):
    trace = (R * S).sum((1, 2))
    cos = (trace - 1) / 2
    return torch.acos(cos).mean()


landmarks = torch.randn(10, 3)
net = nn.Sequential(nn.Linear(30, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 6))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 500)
for step in range(500):
    R = random_rotations(64)
    pts = (landmarks @ R.transpose(1, 2)).flatten(1)
    still = torch.rand(64, 1) < 0.003
    following = torch.where(still, pts, pts + 0.05 * torch.randn_like(pts))
    pose = six_d(net(pts))
    loss = geodesic(pose, R) + 0.1 * geodesic(pose, six_d(net(following)))
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 50 == 49:
        print("step %d loss %.4f" % (step + 1, loss.item()))
# cure: - cos = (trace - 1) / 2
# cure: + cos = ((trace - 1) / 2).clamp(-1 + 1e-6, 1 - 1e-6)
