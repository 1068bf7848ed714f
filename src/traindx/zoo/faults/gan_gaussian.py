"""Variants of `hosts/gan_gaussian.py`: two optimizers, two backward calls, losses that need not fall."""

from __future__ import annotations

from ..edits import after, background, cut, gross, healthy, mild, swap

HOST = "gan_gaussian"

ZERO_D = "    opt_d.zero_grad()\n"
FAKE = "    fake = G(batch_size)\n"

VARIANTS = [
    background(
        "wider discriminator",
        swap(
            "nn.Linear(2, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48)",
            "nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 48)",
        ),
    ),
    background("smooth labels", swap("loss_d = bce(D(real), ones)", "loss_d = bce(D(real), 0.9 * ones)")),
    healthy("least squares", swap("bce = nn.BCEWithLogitsLoss()", "bce = nn.MSELoss()")),
    healthy("batches of 64", swap("batch_size, iterations = 96, 900", "batch_size, iterations = 64, 900")),
    gross("lr-too-high", "rate of 0.5 for both", swap("lr=1e-3", "lr=0.5"), swap("lr=2e-3", "lr=0.5")),
    gross("lr-too-low", "rate of 1e-6 for the generator", swap("lr=1e-3", "lr=1e-6")),
    gross(
        "params-not-in-optimizer",
        "generator's optimizer holds the discriminator",
        swap("Adam(G.parameters()", "Adam(D.parameters()"),
    ),
    gross(
        "detached-graph",
        "generator detached in its own step",
        swap(FAKE + "    loss_g", "    fake = G(batch_size).detach()\n    loss_g"),
    ),
    gross(
        "loss-sign-flipped",
        "generator helps the discriminator",
        swap("loss_g = bce(D(fake), ones)", "loss_g = bce(D(fake), zeros)"),
    ),
    gross("missing-zero-grad", "discriminator never cleared", cut(ZERO_D)),
    gross(
        "symmetric-init",
        "generator starts at zero",
        after("G, D = Generator(), Discriminator()\n", "for p in G.parameters():\n    nn.init.zeros_(p)\n"),
    ),
    gross(
        "unstable-math",
        "log of the sigmoid by hand",
        swap("loss_g = bce(D(fake), ones)", "loss_g = -torch.log(torch.sigmoid(80 * D(fake)) - 1e-12).mean()"),
    ),
    mild(
        "undertrained", "a hundred steps", swap("batch_size, iterations = 96, 900", "batch_size, iterations = 96, 200")
    ),
    gross(
        "nonfinite-data",
        "a point at infinity",
        swap("    base = torch.randn(n, 2)\n", "    base = torch.randn(n, 2) / (torch.rand(n, 1) > 1e-3).float()\n"),
    ),
]
