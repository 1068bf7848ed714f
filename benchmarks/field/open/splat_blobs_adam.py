# expect: lr-never-decays
# also: lr-too-high
# about: a picture built from a sum of Gaussian blobs, all blob parameters fitted with Adam on random pixels
import torch

torch.manual_seed(9)
torch.set_num_threads(1)
G = 40
grid = torch.stack(torch.meshgrid(torch.linspace(0, 10, 48), torch.linspace(0, 10, 48), indexing="ij"), -1).reshape(-1, 2)


def render(points, centre, logscale, amp):
    d2 = ((points[:, None] - centre) ** 2).sum(-1)
    return (amp * torch.exp(-0.5 * d2 / torch.exp(2 * logscale))).sum(1)


true = (10 * torch.rand(G, 2), 0.4 * torch.randn(G), torch.randn(G))
target = render(grid, *true)
centre = (true[0] + 1.2 * torch.randn(G, 2)).requires_grad_()
logscale = torch.zeros(G, requires_grad=True)
amp = torch.zeros(G, requires_grad=True)
optimizer = torch.optim.Adam([centre, logscale, amp], lr=0.03)
rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0)
for step in range(1500):
    rows = torch.randint(0, len(grid), (24,))
    loss = (render(grid[rows], centre, logscale, amp) - target[rows]).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    rate.step()
    if step % 150 == 149:
        with torch.no_grad():
            whole = (render(grid, centre, logscale, amp) - target).abs().mean().item()
        print(f"{step + 1:5d} pixel batch {loss.item():.4f}  whole picture MAE {whole:.4f}")
# cure: - rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0)
# cure: + rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, 1 - step / 1500))
