"""Variants of `hosts/autoencoder_digits.py`: closures, two modules and one optimizer, cosine decay."""

from __future__ import annotations

from ..edits import after, background, before, cut, gross, healthy, mild, on, swap

HOST = "autoencoder_digits"

ADAM = "optimizer = torch.optim.Adam(params, lr=6e-3)\n"
SGD = "optimizer = torch.optim.SGD(params, lr=2.0, momentum=0.9)\n"
ZERO = "        optimizer.zero_grad()\n"
LOSS = "        loss = mse(reconstruction, batch)\n"
STEP = "        optimizer.step()\n"
DECODER = "decoder = nn.Sequential(nn.Linear(12, 40), nn.ReLU(), nn.Linear(40, 64), nn.Sigmoid())\n"
ENCODER = "encoder = nn.Sequential(nn.Linear(64, 40), nn.ReLU(), nn.Linear(40, 12))\n"
SPLIT = "train_images, val_images = images[:1400], images[1400:]\n"


def every_layer(body: str) -> str:
    return f"for layer in (*encoder, *decoder):\n    if isinstance(layer, nn.Linear):\n        {body}\n"


VARIANTS = [
    background(
        "AdamW", swap("torch.optim.Adam(params, lr=6e-3)", "torch.optim.AdamW(params, lr=6e-3, weight_decay=1e-4)")
    ),
    background(
        "wider code", swap("nn.Linear(40, 12))", "nn.Linear(40, 16))"), swap("nn.Linear(12, 40)", "nn.Linear(16, 40)")
    ),
    background("ELU encoder", swap("nn.Linear(64, 40), nn.ReLU()", "nn.Linear(64, 40), nn.ELU()")),
    background(
        "batches of 14",
        swap("batch_size=28", "batch_size=14"),
        swap("range(1, 25)", "range(1, 15)"),
        swap("T_max=24", "T_max=14"),
    ),
    healthy("linear output", swap("nn.Linear(40, 64), nn.Sigmoid())", "nn.Linear(40, 64))")),
    healthy(
        "denoising",
        swap("        code = encoder(batch)\n", "        code = encoder(batch + 0.1 * torch.randn_like(batch))\n"),
    ),
    healthy(
        "summed error",
        swap("mse = nn.MSELoss()", 'mse = nn.MSELoss(reduction="sum")'),
        swap("return loss.item()", "return loss.item() / batch.numel()"),
        swap(
            "error = mse(reconstruction, val_images).item()",
            "error = mse(reconstruction, val_images).item() / val_images.numel()",
        ),
    ),
    healthy("sparse code penalty", swap(LOSS, LOSS + "        loss = loss + 1e-4 * code.abs().mean()\n")),
    gross("lr-too-high", "rate of 1", swap("lr=6e-3", "lr=1.0")),
    mild("lr-too-high", "rate of 0.1", swap("lr=6e-3", "lr=0.1")),
    gross("lr-too-low", "rate of 1e-6", swap("lr=6e-3", "lr=1e-6"), swap("eta_min=1e-5", "eta_min=0")),
    mild("lr-too-low", "rate of 1e-4", swap("lr=6e-3", "lr=1e-4")),
    mild("lr-never-decays", "constant high rate", cut("    scheduler.step()\n"), swap("lr=6e-3", "lr=2e-2")),
    gross(
        "lr-decays-too-soon",
        "exponential decay of 0.3",
        swap("CosineAnnealingLR(optimizer, T_max=24, eta_min=1e-5)", "ExponentialLR(optimizer, 0.3)"),
    ),
    gross("missing-zero-grad", "line deleted", cut(ZERO)),
    mild(
        "params-not-in-optimizer",
        "encoder left out",
        swap("params = list(encoder.parameters()) + list(decoder.parameters())", "params = list(decoder.parameters())"),
    ),
    gross(
        "params-not-in-optimizer",
        "decoder left out",
        swap("params = list(encoder.parameters()) + list(decoder.parameters())", "params = list(encoder.parameters())"),
    ),
    mild(
        "frozen-layers",
        "encoder frozen from scratch",
        after(DECODER, "for p in encoder.parameters():\n    p.requires_grad = False\n"),
    ),
    mild(
        "detached-graph",
        "code detached",
        swap("reconstruction = decoder(code)\n        loss", "reconstruction = decoder(code.detach())\n        loss"),
    ),
    gross("loss-sign-flipped", "negated", swap("loss.backward()", "(-loss).backward()")),
    gross(
        "clip-too-tight",
        "norm of 1e-4 with SGD",
        swap(ADAM, SGD),
        before(STEP, "        nn.utils.clip_grad_norm_(params, 1e-4)\n"),
    ),
    gross(
        "weight-decay-too-strong",
        "decay of 10",
        swap("Adam(params, lr=6e-3)", "AdamW(params, lr=6e-3, weight_decay=10.0)"),
    ),
    gross("optimizer-misconfigured", "eps of 0.1", swap("lr=6e-3)", "lr=6e-3, eps=0.1)")),
    gross("batch-too-large", "whole set", swap("batch_size=28", "batch_size=1400")),
    mild("no-momentum", "plain SGD", swap(ADAM, "optimizer = torch.optim.SGD(params, lr=0.05)\n")),
    gross(
        "vanishing-gradients",
        "deep sigmoid encoder",
        swap(
            ENCODER,
            "encoder = nn.Sequential(nn.Linear(64, 40), nn.Sigmoid(), *[m for _ in range(8) for m in (nn.Linear(40, 40), nn.Sigmoid())], nn.Linear(40, 12))\n",
        ),
    ),
    gross(
        "dead-relus",
        "biases of -6",
        after(DECODER, "nn.init.constant_(encoder[0].bias, -6.0)\nnn.init.constant_(decoder[0].bias, -6.0)\n"),
    ),
    gross(
        "saturated-activations",
        "sigmoid output with biases of -14",
        after(DECODER, "nn.init.constant_(decoder[2].bias, -14.0)\n"),
    ),
    mild(
        "init-too-large",
        "output weights of std twenty",
        after(DECODER, "nn.init.normal_(decoder[2].weight, std=20.0)\n"),
    ),
    gross("init-too-large", "std of 2", after(DECODER, every_layer("nn.init.normal_(layer.weight, std=2.0)"))),
    gross("symmetric-init", "constant", after(DECODER, every_layer("nn.init.constant_(layer.weight, 0.05)"))),
    gross(
        "output-range-mismatch",
        "pixels up to 16 for a sigmoid",
        swap("dtype=torch.float32) / 16", "dtype=torch.float32)"),
    ),
    gross(
        "output-range-mismatch",
        "standardised pixels for a sigmoid",
        swap(SPLIT, "images = (images - images.mean()) / images.std()\n" + SPLIT),
    ),
    gross("wrong-loss", "cross-entropy between images", swap("mse = nn.MSELoss()", "mse = nn.CrossEntropyLoss()")),
    gross(
        "broadcast-loss",
        "mean over the batch taken first",
        swap(LOSS, "        loss = mse(reconstruction.mean(0, keepdim=True).expand_as(batch), batch)\n"),
    ),
    gross(
        "unstable-math",
        "cross-entropy by hand",
        swap(
            LOSS,
            "        loss = -(batch * reconstruction.log() + (1 - batch) * (1 - reconstruction).log()).mean()\n        loss = loss + ((batch / batch.amax(0)).std(0) * 0).mean()\n",
        ),
    ),
    gross(
        "nonfinite-data",
        "divided by the pixel's maximum",
        swap("/ 16\n", "\nimages = images / images.max(dim=0).values\n"),
    ),
    gross(
        "unscaled-inputs",
        "inputs in thousands",
        swap("code = encoder(batch)", "code = encoder(batch * 5000)"),
        swap("decoder(encoder(val_images))", "decoder(encoder(val_images * 5000))"),
    ),
    gross(
        "scrambled-axes",
        "code reshaped across the batch",
        swap(
            "        reconstruction = decoder(code)\n        loss",
            "        reconstruction = decoder(code.t().reshape(code.shape))\n        loss",
        ),
        swap("decoder(encoder(val_images))", "decoder(encoder(val_images).t().reshape(-1, 12))"),
    ),
    gross("train-val-mismatch", "validation on another scale", after(SPLIT, "val_images = val_images * 16\n")),
    mild(
        "leaked-validation",
        "small set, validation inside",
        swap("images[:1400], images[1400:]", "images[:100], images[:100]"),
        swap("range(1, 25)", "range(1, 201)"),
        swap("T_max=24", "T_max=200"),
        swap("nn.Linear(40, 12))", "nn.Linear(40, 40))"),
        swap("nn.Linear(12, 40)", "nn.Linear(40, 40)"),
    ),
    gross(
        "overfitting",
        "forty images",
        swap("images[:1400]", "images[:40]"),
        swap("range(1, 25)", "range(1, 400)"),
        swap("T_max=24", "T_max=400"),
    ),
    gross(
        "model-too-small",
        "code of one number",
        swap("nn.Linear(40, 12))", "nn.Linear(40, 1))"),
        swap("nn.Linear(12, 40)", "nn.Linear(1, 40)"),
    ),
    gross(
        "over-regularized",
        "dropout of 0.8 on the code",
        swap("nn.Linear(40, 12))", "nn.Linear(40, 12), nn.Dropout(0.8))"),
        swap(
            "    reconstruction = decoder(encoder(val_images))\n",
            "    encoder.eval()\n    reconstruction = decoder(encoder(val_images))\n    encoder.train()\n",
        ),
    ),
    mild(
        "undertrained",
        "three epochs",
        swap("range(1, 25)", "range(1, 4)"),
        swap("lr=6e-3", "lr=2e-3"),
        swap("if epoch % 2 == 0:", "if epoch:"),
    ),
    mild(
        "eval-mode-missing",
        "dropout never switched off",
        swap(
            "nn.Linear(64, 40), nn.ReLU(), nn.Linear(40, 12))",
            "nn.Linear(64, 40), nn.ReLU(), nn.Dropout(0.5), nn.Linear(40, 12))",
        ),
    ),
    gross(
        "slow-data-loading",
        "an expensive transform",
        swap(
            "DataLoader(train_images, batch",
            "DataLoader([*train_images], collate_fn=lambda rows: torch.stack([torch.linalg.svd(r.view(8, 8))[0].flatten() * 0 + r for r in rows]), batch",
        ),
    ),
    mild(
        "graph-retained",
        "reconstructions kept",
        swap(LOSS, LOSS + "        kept.append(loss)\n"),
        before("def make_step", "kept = []\n\n\n"),
        swap("nn.Linear(64, 40), nn.ReLU(), nn.Linear(40, 12))", "nn.Linear(64, 400), nn.ReLU(), nn.Linear(400, 12))"),
    ),
    on(
        (swap("nn.Linear(40, 64), nn.Sigmoid())", "nn.Linear(40, 64))"),),
        gross(
            "unscaled-targets",
            "targets in tens of thousands",
            swap(LOSS, "        loss = mse(reconstruction, 20000 * batch)\n"),
            swap(
                "error = mse(reconstruction, val_images).item()",
                "error = mse(reconstruction / 20000, val_images).item()",
            ),
        ),
    ),
]
