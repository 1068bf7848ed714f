# expect: healthy
# about: fit of damped oscillator parameters with LBFGS and raw tensors, residual at the measurement noise
import torch

torch.set_num_threads(1)
torch.manual_seed(7)
t = torch.linspace(0, 6, 240, dtype=torch.float64)
truth = dict(a=2.3, k=0.35, w=4.1, p=0.6, c=0.4)
obs = truth["a"] * torch.exp(-truth["k"] * t) * torch.cos(truth["w"] * t + truth["p"]) + truth["c"] + 0.05 * torch.randn_like(t)

theta = torch.tensor([1.5, 0.1, 3.9, 0.2, 0.0], dtype=torch.float64, requires_grad=True)
solver = torch.optim.LBFGS([theta], lr=0.5, max_iter=4, history_size=10)


def residual():
    a, k, w, p, c = theta
    return a * torch.exp(-k * t) * torch.cos(w * t + p) + c - obs


history = []


def closure():
    solver.zero_grad()
    sse = (residual() ** 2).sum()
    sse.backward()
    history.append(sse.item())
    return sse


for sweep in range(60):
    solver.step(closure)
    if sweep % 6 == 0:
        print(f"sweep {sweep:2d}  evaluations {len(history):3d}  SSE {history[-1]:.6f}")
rms = residual().detach().pow(2).mean().sqrt().item()
print("estimate", [round(v, 4) for v in theta.tolist()], "rms residual %.4f (noise 0.05)" % rms)
