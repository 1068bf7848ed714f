"""Variants of `hosts/vae_digits.py`: session object, evidence lower bound by hand, loss in nats per image."""

from __future__ import annotations

from ..edits import after, background, before, cut, gross, healthy, mild, swap

HOST = "vae_digits"

ADAM = "torch.optim.Adam(self.model.parameters(), lr=lr)"
ZERO = "            self.optimizer.zero_grad()\n"
STEP = "            self.optimizer.step()\n"
MODEL = "        self.model = VAE()\n"
DECODED = "        return torch.sigmoid(self.dec2(h))\n"
KLD = "    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())\n"
SPLIT = "        self.train_x, self.val_x = pixels[:1400], pixels[1400:]\n"

VARIANTS = [
    background("AdamW", swap("Adam(self.model", "AdamW(self.model")),
    background("wider", swap("hidden=64", "hidden=128")),
    background("tanh decoder", swap("h = F.relu(self.dec1(z))", "h = torch.tanh(self.dec1(z))")),
    healthy("smaller weight of the divergence", swap("(bce + kld) / len(x)", "(bce + 0.5 * kld) / len(x)")),
    healthy("mean per pixel with matching rate", swap("(bce + kld) / len(x)", "(bce + kld) / x.numel()")),
    healthy("batches of 70", swap("batch_size=35", "batch_size=70"), swap("lr=4e-3", "lr=8e-3")),
    healthy(
        "generous clipping", before(STEP, "            nn.utils.clip_grad_norm_(self.model.parameters(), 100.0)\n")
    ),
    gross("lr-too-high", "rate of 1", swap("lr=4e-3", "lr=1.0")),
    mild("lr-too-high", "rate of 0.1", swap("lr=4e-3", "lr=0.15")),
    gross("lr-too-low", "rate of 1e-6", swap("lr=4e-3", "lr=1e-6")),
    mild("lr-too-low", "rate of 1e-4", swap("lr=4e-3", "lr=1e-4")),
    gross("missing-zero-grad", "line deleted", cut(ZERO)),
    gross(
        "params-not-in-optimizer",
        "decoder forgotten",
        swap(
            "Adam(self.model.parameters()",
            "Adam([*self.model.enc.parameters(), *self.model.mu.parameters(), *self.model.logvar.parameters()]",
        ),
    ),
    mild(
        "frozen-layers",
        "encoder frozen",
        after(MODEL, "        self.model.enc.requires_grad_(False)\n        self.model.mu.requires_grad_(False)\n"),
    ),
    mild(
        "detached-graph",
        "sample drawn without a path",
        swap("return mu + std * torch.randn_like(std)", "return torch.normal(mu, std).detach()"),
    ),
    gross("loss-sign-flipped", "bound minimised", swap("return (bce + kld) / len(x)", "return -(bce + kld) / len(x)")),
    gross(
        "clip-too-tight",
        "norm of 1e-3 with SGD",
        swap(ADAM, "torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)"),
        before(STEP, "            nn.utils.clip_grad_norm_(self.model.parameters(), 1e-2)\n"),
    ),
    gross(
        "weight-decay-too-strong",
        "decay of 30",
        swap("Adam(self.model.parameters(), lr=lr)", "AdamW(self.model.parameters(), lr=lr, weight_decay=30.0)"),
    ),
    gross("batch-too-large", "whole set", swap("batch_size=35", "batch_size=1400")),
    gross(
        "lr-decays-too-soon",
        "stepped every batch",
        swap("            self.schedule.step()\n", ""),
        after(STEP, "            self.schedule.step()\n"),
    ),
    gross(
        "init-too-large",
        "std of 2",
        after(MODEL, "        for p in self.model.parameters():\n            nn.init.normal_(p, std=2.0)\n"),
    ),
    gross(
        "symmetric-init",
        "zero weights",
        after(MODEL, "        for p in self.model.parameters():\n            nn.init.zeros_(p)\n"),
    ),
    gross(
        "unstable-math",
        "log variance without the log",
        swap("        std = torch.exp(0.5 * logvar)\n", "        std = torch.sqrt(logvar)\n"),
        swap(KLD, "    kld = -0.5 * torch.sum(1 + torch.log(logvar) - mu.pow(2) - logvar)\n"),
    ),
    gross(
        "unstable-math",
        "cross-entropy by hand on saturated outputs",
        swap(
            'F.binary_cross_entropy(recon, x, reduction="sum")',
            "-(x * torch.log(recon) + (1 - x) * torch.log(1 - recon)).sum()",
        ),
        swap(DECODED, "        return torch.sigmoid(60 * self.dec2(h))\n"),
    ),
    mild(
        "output-range-mismatch",
        "tanh for pixels between 0 and 1, squared error",
        swap(DECODED, "        return -torch.relu(-self.dec2(h))\n"),
        swap('F.binary_cross_entropy(recon, x, reduction="sum")', 'F.mse_loss(recon, x, reduction="sum") * 10'),
    ),
    gross("wrong-loss", "mean and sum mixed", swap('reduction="sum")', 'reduction="mean")')),
    gross(
        "unscaled-inputs",
        "brightness in thousands for the encoder",
        swap("h = F.relu(self.enc(x))", "h = F.relu(self.enc(x * 3000))"),
    ),
    gross(
        "nonfinite-data",
        "divided by the pixel's maximum",
        swap(SPLIT, "        pixels = pixels / pixels.max(0).values\n" + SPLIT),
    ),
    gross("train-val-mismatch", "validation inverted", after(SPLIT, "        self.val_x = 1 - self.val_x\n")),
    gross(
        "scrambled-axes",
        "latent reshaped across the batch",
        swap("        h = F.relu(self.dec1(z))\n", "        h = F.relu(self.dec1(z.t().reshape(z.shape)))\n"),
    ),
    gross(
        "overfitting",
        "fifty images",
        after(SPLIT, "        self.train_x = self.train_x[:35]\n"),
        swap("epochs=22", "epochs=500"),
        swap("self.optimizer, 0.88)", "self.optimizer, 1.0)"),
    ),
    mild("model-too-small", "one hidden unit", swap("hidden=64", "hidden=1")),
    gross(
        "over-regularized", "divergence weighted fifty times", swap("(bce + kld) / len(x)", "(bce + 50 * kld) / len(x)")
    ),
    mild("undertrained", "two epochs", swap("epochs=22", "epochs=2"), swap("lr=4e-3", "lr=1e-3")),
    mild(
        "graph-retained",
        "total as a tensor over the run",
        swap(
            "            total += loss.item() * len(x)\n",
            "            total = total + loss * len(x)\n            self.kept.append(total)\n",
        ),
        swap("return total / len(self.train_x)", "return total.item() / len(self.train_x)"),
        after(MODEL, "        self.kept = []\n"),
    ),
]
