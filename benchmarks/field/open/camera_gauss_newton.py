# expect: healthy
# about: camera calibration: six intrinsic and distortion constants found by an own Levenberg-Marquardt optimizer class, 20 full-batch steps are plenty
import torch
from torch.func import functional_call, jacfwd

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
torch.manual_seed(109)


class Camera(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.focal = torch.nn.Parameter(torch.tensor([600.0, 600.0]))
        self.centre = torch.nn.Parameter(torch.tensor([320.0, 240.0]))
        self.radial = torch.nn.Parameter(torch.zeros(2))

    def forward(self, pts):
        xy = pts[:, :2] / pts[:, 2:]
        r2 = (xy**2).sum(1, keepdim=True)
        return self.focal * xy * (1 + self.radial[0] * r2 + self.radial[1] * r2**2) + self.centre


class LevenbergMarquardt(torch.optim.Optimizer):
    def __init__(self, model, damping=1e-2):
        self.model, self.damping = model, damping
        super().__init__(model.parameters(), {})

    @torch.no_grad()
    def step(self, residual):
        params = dict(self.model.named_parameters())
        r = residual(params)
        blocks = jacfwd(residual)(params)
        J = torch.cat([blocks[k].reshape(len(r), -1) for k in params], 1)
        H, g = J.T @ J, J.T @ r
        for _ in range(8):
            delta = -torch.linalg.solve(H + self.damping * torch.diag(H.diagonal()), g)
            trial, at = {}, 0
            for k, p in params.items():
                trial[k] = p + delta[at : at + p.numel()].view_as(p)
                at += p.numel()
            if residual(trial).square().sum() < r.square().sum():
                for k, p in params.items():
                    p.copy_(trial[k])
                self.damping = max(self.damping / 3, 1e-9)
                break
            self.damping *= 4
        return residual(dict(self.model.named_parameters())).square().mean().item()


truth = Camera()
with torch.no_grad():
    truth.focal.copy_(torch.tensor([812.0, 806.0]))
    truth.centre.copy_(torch.tensor([331.5, 226.0]))
    truth.radial.copy_(torch.tensor([-0.21, 0.06]))
for trial in range(25):
    pts = torch.rand(1500, 3) * torch.tensor([2.4, 1.8, 2.0]) - torch.tensor([1.2, 0.9, -2.0])
    pixels = truth(pts).detach() + 0.3 * torch.randn(1500, 2)
    camera = Camera()
    opt = LevenbergMarquardt(camera)
    residual = lambda p: (functional_call(camera, p, (pts,)) - pixels).flatten()
    history = [opt.step(residual) for _ in range(20)]
    if trial % 5 == 0:
        print(f"shot {trial}: mse {history[0]:.2f} -> {history[3]:.4f} -> {history[-1]:.5f} px^2 (noise 0.09), focal {camera.focal.tolist()[0]:.1f} {camera.focal.tolist()[1]:.1f} k {camera.radial.tolist()[0]:.3f}")
