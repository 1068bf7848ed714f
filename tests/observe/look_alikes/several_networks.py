"""Networks that are trained in turns, beside each other, or by another's answers."""

from __future__ import annotations

from . import DATA, after

PROGRAMS = after(
    DATA,
    {
        "gan_blocks": """
G = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
D = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
oD = torch.optim.Adam(D.parameters(), 2e-3, betas=(0.5, 0.9))
oG = torch.optim.Adam(G.parameters(), 1e-3, betas=(0.5, 0.9))
bce = nn.BCEWithLogitsLoss()
real = lambda n: torch.randn(n, 2) @ torch.tensor([[1.0, 0.5], [0.0, 0.6]]) + torch.tensor([1.0, -1.0])
for rnd in range(4):
    for _ in range(50):
        x, f = real(64), G(torch.randn(64, 8)).detach()
        loss = bce(D(x), torch.ones(64, 1)) + bce(D(f), torch.zeros(64, 1))
        oD.zero_grad(); loss.backward(); oD.step()
    for _ in range(50):
        loss = bce(D(G(torch.randn(64, 8))), torch.ones(64, 1))
        oG.zero_grad(); loss.backward(); oG.step()
""",
        "gan_blocks_lazy_g": """
# G's optimizer is only made after D was pretrained
G = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
D = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
bce = nn.BCEWithLogitsLoss()
real = lambda n: torch.randn(n, 2) @ torch.tensor([[1.0, 0.5], [0.0, 0.6]]) + torch.tensor([1.0, -1.0])
oD = torch.optim.Adam(D.parameters(), 2e-3, betas=(0.5, 0.9))
for _ in range(100):
    x, f = real(64), G(torch.randn(64, 8))
    loss = bce(D(x), torch.ones(64, 1)) + bce(D(f), torch.zeros(64, 1))
    oD.zero_grad(); loss.backward(); oD.step()
oG = torch.optim.Adam(G.parameters(), 1e-3, betas=(0.5, 0.9))
for i in range(200):
    if i % 2:
        x, f = real(64), G(torch.randn(64, 8)).detach()
        loss = bce(D(x), torch.ones(64, 1)) + bce(D(f), torch.zeros(64, 1))
        oD.zero_grad(); loss.backward(); oD.step()
    else:
        loss = bce(D(G(torch.randn(64, 8))), torch.ones(64, 1))
        oG.zero_grad(); loss.backward(); oG.step()
""",
        "gan_d_only_block": """
# one block of D, then one block of G, nothing detached; D also gets grads in G's block
class Gen(nn.Module):
    def __init__(s):
        super().__init__()
        s.net = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 2))
    def forward(s, z): return s.net(z)
class Disc(nn.Module):
    def __init__(s):
        super().__init__()
        s.net = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
    def forward(s, x): return s.net(x)
G, D = Gen(), Disc()
optimizers = [torch.optim.Adam(D.parameters(), 1e-3), torch.optim.Adam(G.parameters(), 1e-3)]
real = lambda n: torch.randn(n, 2) * 0.5 + torch.tensor([1.0, -1.0])
for i in range(600):
    z = torch.randn(32, 8)
    if i < 300:
        loss = F.softplus(-D(real(32))).mean() + F.softplus(D(G(z))).mean()
        optimizers[0].zero_grad(); loss.backward(); optimizers[0].step()
    else:
        loss = F.softplus(-D(G(z))).mean()
        optimizers[1].zero_grad(); loss.backward(); optimizers[1].step()
""",
        "wgan_gp_kstep": """
G = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
Dn = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
oG = torch.optim.Adam(G.parameters(), 1e-3, betas=(0.0, .9))
oD = torch.optim.Adam(Dn.parameters(), 1e-3, betas=(0.0, .9))
real = lambda n: torch.randn(n, 2) * 0.5 + torch.tensor([1.0, -1.0])
for i in range(80):
    for _ in range(5):
        x, f = real(64), G(torch.randn(64, 8)).detach()
        a = torch.rand(64, 1); m = (a * x + (1 - a) * f).requires_grad_()
        g, = torch.autograd.grad(Dn(m).sum(), m, create_graph=True)
        loss = Dn(f).mean() - Dn(x).mean() + 10 * ((g.norm(dim=1) - 1) ** 2).mean()
        oD.zero_grad(); loss.backward(); oD.step()
    loss = -Dn(G(torch.randn(64, 8))).mean()
    oG.zero_grad(); loss.backward(); oG.step()
""",
        "actor_critic_separate": """
# a bandit-like regression with actor and critic, separate optimizers, critic trained more often
actor = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
critic = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 1))
oa = torch.optim.Adam(actor.parameters(), 1e-3); oc = torch.optim.Adam(critic.parameters(), 3e-3)
W = torch.randn(4, 2)
for i in range(400):
    s = torch.randn(64, 4); a = actor(s).detach() + 0.5 * torch.randn(64, 2)
    r = -((a - s @ W) ** 2).sum(1, keepdim=True)
    q = critic(torch.cat([s, a], 1)); loss = F.mse_loss(q, r)
    oc.zero_grad(); loss.backward(); oc.step()
    if i > 100 and i % 2 == 0:
        la = -critic(torch.cat([s, actor(s)], 1)).mean()
        oa.zero_grad(); la.backward(); oa.step()
""",
        "distill": """
teacher = nn.Sequential(nn.Linear(16, 128), nn.ReLU(), nn.BatchNorm1d(128), nn.Dropout(0.2), nn.Linear(128, 4))
ot = torch.optim.Adam(teacher.parameters(), 1e-3)
for _ in range(150):
    x, y = make(64)
    loss = F.cross_entropy(teacher(x), y)
    ot.zero_grad()
    loss.backward()
    ot.step()
teacher.eval()
student = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
os_ = torch.optim.Adam(student.parameters(), 3e-3)
for _ in range(250):
    x, y = make(64)
    with torch.no_grad(): t = teacher(x)
    s = student(x)
    soft = F.kl_div(F.log_softmax(s / 2, 1), F.softmax(t / 2, 1), reduction="batchmean")
    loss = 0.5 * F.cross_entropy(s, y) + 0.5 * 4 * soft
    os_.zero_grad(); loss.backward(); os_.step()
xv, yv = make(500); student.eval()
with torch.no_grad(): print((student(xv).argmax(1) == yv).float().mean())
""",
        "mean_teacher_ema": """
import copy
net = nn.Sequential(nn.Linear(16, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 4))
ema = copy.deepcopy(net)
for q in ema.parameters(): q.requires_grad_(False)
opt = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9)
for i in range(300):
    x, y = make(64); u, _ = make(64)
    out = net(x)
    with torch.no_grad(): target = ema(u + 0.1 * torch.randn_like(u)).softmax(1)
    loss = F.cross_entropy(out, y) + 0.5 * F.mse_loss(net(u).softmax(1), target)
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        for a, b in zip(ema.parameters(), net.parameters()): a.mul_(0.99).add_(b, alpha=0.01)
""",
        "byol_like": """
import copy
f = nn.Sequential(nn.Linear(16, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 32))
pr = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 32))
t = copy.deepcopy(f).requires_grad_(False)
o = torch.optim.Adam([*f.parameters(), *pr.parameters()], 1e-3)
for _ in range(300):
    x, _ = make(64); a, b = x + .2 * torch.randn_like(x), x + .2 * torch.randn_like(x)
    with torch.no_grad(): ta, tb = t(a), t(b)
    l = 2 - F.cosine_similarity(pr(f(a)), tb).mean() - F.cosine_similarity(pr(f(b)), ta).mean()
    o.zero_grad(); l.backward(); o.step()
    with torch.no_grad():
        for q, w in zip(t.parameters(), f.parameters()): q.data = 0.99 * q.data + 0.01 * w.data
""",
        "dqn_target": """
import copy
q = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
tq = copy.deepcopy(q)
opt = torch.optim.Adam(q.parameters(), 1e-3)
W = torch.randn(4, 2)
for i in range(500):
    s = torch.randn(64, 4)
    a = torch.randint(0, 2, (64,))
    r = (s @ W).gather(1, a[:, None])[:, 0]
    s2 = torch.randn(64, 4)
    with torch.no_grad(): t = r + 0.5 * tq(s2).max(1).values
    l = F.smooth_l1_loss(q(s).gather(1, a[:, None])[:, 0], t)
    opt.zero_grad()
    l.backward()
    opt.step()
    if i % 50 == 0: tq.load_state_dict(q.state_dict())
""",
        "two_opts_backbone_head": """
bb = nn.Sequential(nn.Linear(16, 64), nn.ReLU()); head = nn.Linear(64, 4)
ob, oh = torch.optim.SGD(bb.parameters(), 0.02, momentum=.9), torch.optim.SGD(head.parameters(), 0.1, momentum=.9)
for i in range(400):
    x, y = make(64); l = F.cross_entropy(head(bb(x)), y)
    oh.zero_grad(); ob.zero_grad(); l.backward(); oh.step()
    if i >= 100: ob.step()   # warm up the head first
""",
    },
)
