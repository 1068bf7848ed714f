# expect: healthy
# about: four physical constants of a solar cell from measured current-voltage points, log-parametrised, implicit equation solved by Newton inside the model
import torch
import torch.nn as nn

torch.manual_seed(139)
torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
VT = 0.02585


class SingleDiode(nn.Module):
    def __init__(self, photo, sat, ideality, series):
        super().__init__()
        self.log = nn.Parameter(torch.tensor([photo, sat, ideality, series]).log())

    def forward(self, v):
        photo, sat, ideality, series = self.log.exp()
        nvt = ideality * VT
        i = photo.detach().expand_as(v).clone()
        with torch.no_grad():
            for _ in range(25):
                e = torch.exp((v + i * series) / nvt)
                f = photo - sat * (e - 1) - i
                i = i - f / (-sat * e * series / nvt - 1)
        for _ in range(2):
            e = torch.exp((v + i * series) / nvt)
            f = photo - sat * (e - 1) - i
            i = i - f / (-sat * e * series / nvt - 1).detach()
        return i


true = SingleDiode(0.76, 3.1e-7, 1.48, 0.036)
volts = torch.linspace(-0.1, 0.58, 60)
with torch.no_grad():
    amps = true(volts) + 5e-4 * torch.randn(60)

cell = SingleDiode(0.6, 1e-6, 1.6, 0.02)
opt = torch.optim.LBFGS(cell.parameters(), lr=1.0, max_iter=4, history_size=12, line_search_fn="strong_wolfe", tolerance_grad=1e-12, tolerance_change=1e-14)


def closure():
    opt.zero_grad()
    loss = ((cell(volts) - amps) / 5e-4).square().mean()
    loss.backward()
    return loss


for it in range(1, 61):
    loss = opt.step(closure)
    if it % 6 == 0:
        photo, sat, ideality, series = cell.log.exp().tolist()
        print(f"iter {it} chi2/N {loss.item():.4f} photo {photo:.4f} sat {sat:.3e} ideality {ideality:.3f} series {series:.4f}")
print("true: photo 0.7600 sat 3.100e-07 ideality 1.480 series 0.0360, chi2/N of the true constants", round(((true(volts) - amps) / 5e-4).square().mean().item(), 4))
