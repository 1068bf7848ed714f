# expect: healthy
# about: four rate constants and two initial values of a predator-prey system fitted for nine islands by back-propagating through the midpoint rule; six parameters, log-space, full batch, LBFGS with line search
import torch

torch.set_num_threads(1)
torch.manual_seed(44)
DT, STEPS, EVERY = 0.1, 120, 2
TYPICAL = torch.tensor([1.1, 0.4, 0.4, 0.1])  # growth of hares, death of foxes, hares eaten, foxes fed
SIGNS = torch.tensor([1.0, -1.0])


def rhs(z, th):
    return z * SIGNS * (th[:2] - th[2:] * z.flip(0))


def simulate(th, z):
    out = []
    for i in range(STEPS):
        k1 = rhs(z, th)
        z = z + DT * rhs(z + DT / 2 * k1, th)
        if i % EVERY == EVERY - 1:
            out.append(z)
    return torch.stack(out)


def fit(observed):
    log_theta = torch.log(torch.tensor([0.8, 0.6, 0.3, 0.15])).requires_grad_()
    log_start = torch.log(observed[0].clone()).requires_grad_()
    opt = torch.optim.LBFGS([log_theta, log_start], lr=1.0, max_iter=4, line_search_fn="strong_wolfe")

    def closure():
        opt.zero_grad()
        loss = (simulate(log_theta.exp(), log_start.exp()).log() - observed.log()).pow(2).mean()
        loss.backward()
        return loss

    history = [opt.step(closure).item() for _ in range(12)]
    return history, log_theta.detach().exp()


for island in range(9):
    truth = TYPICAL * torch.exp(0.15 * torch.randn(4))
    with torch.no_grad():
        clean = simulate(truth, torch.tensor([8.0, 4.0]))
        observed = clean * torch.exp(0.08 * torch.randn_like(clean))
        ideal = (clean.log() - observed.log()).pow(2).mean().item()
    history, found = fit(observed)
    off = (found / truth - 1).abs().mean().item()
    print(f"island {island} log mse {history[0]:.4f} -> {history[-1]:.5f} (true curve {ideal:.5f}) rates off by {100 * off:.1f} % on average")
