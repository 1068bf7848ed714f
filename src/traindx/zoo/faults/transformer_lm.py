"""Variants of `hosts/transformer_lm.py`: hand-written attention, AdamW, warmup and cosine set by hand."""

from __future__ import annotations

from ..edits import after, background, cut, gross, healthy, mild, on, swap

HOST = "transformer_lm"

ADAMW = "torch.optim.AdamW(model.parameters(), lr=args.lr, betas=(0.9, 0.98), weight_decay=0.01)"
ZERO = "        optimizer.zero_grad(set_to_none=True)\n"
BACKWARD = "        loss.backward()\n"
CLIP = "        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
STEP = "        optimizer.step()\n"
MODEL = "    model = GPT(len(vocab))\n"
MASK = '        scores = scores.masked_fill(self.mask[:T, :T] == 0, float("-inf"))\n'
RATE = '"--lr", type=float, default=5e-3'
ITERS = '"--max_iters", type=int, default=300'
SPLIT = "    train_data, val_data = data[:n], data[n:]\n"
SCALE = " / math.sqrt(C // N_HEAD)"
BATCH_LOSS = "loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))"

# With post-norm and without clipping, this learning rate trains better than the host's if it is reached by a warmup.
POST_NORM = (
    swap("x = x + self.drop(self.attn(self.ln1(x)))", "x = self.ln1(x + self.drop(self.attn(x)))"),
    swap("x = x + self.drop(self.mlp(self.ln2(x)))", "x = self.ln2(x + self.drop(self.mlp(x)))"),
    cut(CLIP),
    swap(RATE, RATE.replace("5e-3", "1e-2")),
    swap('"--warmup", type=int, default=20', '"--warmup", type=int, default=40'),
)
NO_WARMUP = swap('"--warmup", type=int, default=40', '"--warmup", type=int, default=0')

VARIANTS = [
    background("Adam", swap(ADAMW, "torch.optim.Adam(model.parameters(), lr=args.lr, betas=(0.9, 0.98))")),
    background("one layer", swap("N_LAYER = 2", "N_LAYER = 1")),
    background("ReLU", swap("nn.GELU()", "nn.ReLU()")),
    background("no dropout", swap("nn.Dropout(0.1)", "nn.Dropout(0.0)")),
    healthy("clipping at ten", swap("model.parameters(), 1.0)", "model.parameters(), 10.0)")),
    healthy("tied embedding", after(MODEL, "    model.head.weight = model.tok.weight\n")),
    healthy(
        "built-in attention",
        swap(
            "        scores = q @ k.transpose(-2, -1) / math.sqrt(C // N_HEAD)\n"
            + MASK
            + "        weights = F.softmax(scores, dim=-1)\n        y = (weights @ v)",
            "        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)",
        ),
    ),
    healthy(
        "accumulation of halves",
        swap(
            "        logits, loss = model(xb, yb)\n        optimizer.zero_grad(set_to_none=True)\n        loss.backward()\n",
            "        optimizer.zero_grad(set_to_none=True)\n        for x, y in zip(xb.chunk(2), yb.chunk(2)):\n            logits, loss = model(x, y)\n            (loss / 2).backward()\n",
        ),
    ),
    healthy("short context", swap("BLOCK_SIZE = 32", "BLOCK_SIZE = 20")),
    gross("lr-too-high", "rate of 1", swap(RATE, RATE.replace("5e-3", "1.0"))),
    mild("lr-too-high", "rate of 0.1", swap(RATE, RATE.replace("5e-3", "0.1"))),
    gross("lr-too-low", "rate of 1e-6", swap(RATE, RATE.replace("5e-3", "1e-6"))),
    mild("lr-too-low", "rate of 1e-4", swap(RATE, RATE.replace("5e-3", "1e-4"))),
    on(POST_NORM, gross("no-warmup", "full rate at once", NO_WARMUP)),
    on(
        (*POST_NORM, swap("N_LAYER = 2", "N_LAYER = 3")),
        gross("no-warmup", "full rate at once in three layers", NO_WARMUP),
    ),
    gross(
        "lr-decays-too-soon",
        "cosine over thirty steps",
        swap(
            "ratio = (step - args.warmup) / (args.max_iters - args.warmup)",
            "ratio = min(1.0, (step - args.warmup) / 30)",
        ),
        swap("0.05 + 0.95", "0.001 + 0.999"),
    ),
    gross("missing-zero-grad", "line deleted", cut(ZERO)),
    mild(
        "params-not-in-optimizer",
        "layers in a plain list",
        swap("nn.ModuleList([Layer() for _ in range(N_LAYER)])", "[Layer() for _ in range(N_LAYER)]"),
        swap(
            "nn.init.normal_(module.weight, mean=0.0, std=0.05)", "nn.init.normal_(module.weight, mean=0.0, std=0.02)"
        ),
    ),
    gross(
        "params-not-in-optimizer", "only the head", swap("AdamW(model.parameters()", "AdamW(model.head.parameters()")
    ),
    mild(
        "frozen-layers",
        "blocks frozen from scratch",
        after(MODEL, "    for p in model.layers.parameters():\n        p.requires_grad = False\n"),
    ),
    mild(
        "detached-graph",
        "embedding result detached",
        swap(
            "x = self.tok(idx) + self.pos(torch.arange(idx.size(1)))",
            "x = (self.tok(idx) + self.pos(torch.arange(idx.size(1)))).detach()",
        ),
        swap("logits = self.head(self.ln_f(x))", "logits = self.head(self.ln_f(x.detach()))"),
    ),
    gross("loss-sign-flipped", "negated", swap("loss.backward()", "(-loss).backward()")),
    gross(
        "clip-too-tight",
        "norm of 1e-3 with SGD",
        swap(ADAMW, "torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)"),
        swap("model.parameters(), 1.0)", "model.parameters(), 1e-3)"),
        swap(RATE, RATE.replace("5e-3", "0.3")),
    ),
    gross("weight-decay-too-strong", "decay of 50", swap("weight_decay=0.01", "weight_decay=50.0")),
    gross("optimizer-misconfigured", "first beta of 0.9999", swap("betas=(0.9, 0.98)", "betas=(0.9999, 0.98)")),
    mild("optimizer-misconfigured", "eps of 0.1", swap("weight_decay=0.01)", "weight_decay=0.01, eps=0.1)")),
    mild(
        "batch-too-small",
        "a single sequence",
        swap('"--batch_size", type=int, default=24', '"--batch_size", type=int, default=1'),
    ),
    gross("init-too-large", "std of 2", swap("std=0.05", "std=2.0")),
    gross("init-too-small", "std of 1e-6", swap("std=0.05", "std=1e-6")),
    gross(
        "symmetric-init",
        "constant embedding and weights",
        swap("nn.init.normal_(module.weight, mean=0.0, std=0.05)", "nn.init.constant_(module.weight, 0.02)"),
    ),
    mild(
        "double-softmax",
        "softmax on the logits",
        swap("logits = self.head(self.ln_f(x))", "logits = F.softmax(self.head(self.ln_f(x)), dim=-1)"),
    ),
    gross(
        "softmax-wrong-axis",
        "probabilities over time",
        swap(BATCH_LOSS, "loss = F.nll_loss(F.log_softmax(logits, dim=1).view(-1, logits.size(-1)), targets.view(-1))"),
    ),
    gross(
        "unstable-math",
        "norm of attention divided by zero",
        swap(
            "weights = F.softmax(scores, dim=-1)",
            "weights = torch.exp(30 * scores)\n        weights = weights / weights.sum(-1, keepdim=True)",
        ),
    ),
    gross(
        "unstable-math",
        "root of a zero row",
        swap(
            "return self.proj(y)",
            "y = self.proj(y)\n        return y / torch.sqrt(((y - y[:, :1]) ** 2).sum(-1, keepdim=True))",
        ),
    ),
    gross("low-precision", "half precision without scaling", swap(MODEL, MODEL + "    model = model.half()\n")),
    gross(
        "scrambled-axes",
        "view in place of transpose",
        swap(
            "y = (weights @ v).transpose(1, 2).contiguous().view(B, T, C)",
            "y = (weights @ v).transpose(0, 2).reshape(B, T, C)",
        ),
    ),
    gross(
        "scrambled-axes", "targets flattened in another order", swap("targets.view(-1))", "targets.t().reshape(-1))")
    ),
    gross("target-leakage", "no causal mask", cut(MASK), swap(ITERS, ITERS.replace("300", "450"))),
    gross(
        "target-leakage",
        "mask the wrong way round",
        swap("torch.tril(torch.ones(BLOCK_SIZE, BLOCK_SIZE))", "torch.ones(BLOCK_SIZE, BLOCK_SIZE).tril(1)"),
    ),
    gross(
        "noisy-labels",
        "targets of another sequence",
        swap(
            "        logits, loss = model(xb, yb)\n",
            "        yb = yb[torch.randperm(len(yb))]\n        logits, loss = model(xb, yb)\n",
        ),
    ),
    gross(
        "train-val-mismatch",
        "validation with another vocabulary",
        swap(SPLIT, SPLIT + "    val_data = (val_data + 7) % len(vocab)\n"),
    ),
    gross(
        "overfitting",
        "eight hundred characters",
        swap(SPLIT, SPLIT + "    train_data = train_data[:700]\n"),
        swap("nn.Dropout(0.1)", "nn.Dropout(0.0)"),
        swap(ITERS, ITERS.replace("300", "400")),
    ),
    gross(
        "model-too-small",
        "two embedding dimensions",
        swap("N_EMBD = 48", "N_EMBD = 2"),
        swap("N_HEAD = 4", "N_HEAD = 1"),
    ),
    gross(
        "over-regularized",
        "dropout of 0.95 on the embedding",
        swap(
            "x = self.tok(idx) + self.pos(torch.arange(idx.size(1)))",
            "x = F.dropout(self.tok(idx) + self.pos(torch.arange(idx.size(1))), 0.9, self.training)",
        ),
    ),
    mild(
        "undertrained",
        "fifty steps",
        swap("for it in range(args.max_iters)", "for it in range(50)"),
        swap(RATE, RATE.replace("5e-3", "1e-3")),
    ),
    mild(
        "eval-mode-missing", "eval call deleted", cut("    model.eval()\n"), swap("nn.Dropout(0.1)", "nn.Dropout(0.5)")
    ),
    mild(
        "slow-data-loading",
        "text encoded again for every batch",
        swap(
            "        xb, yb = get_batch(train_data, args.batch_size)\n",
            "        train_data = torch.tensor([stoi[c] for c in text], dtype=torch.long)[:n]\n        train_data = torch.tensor([stoi[c] for c in text], dtype=torch.long)[:n]\n        xb, yb = get_batch(train_data, args.batch_size)\n",
        ),
    ),
    mild(
        "graph-retained",
        "losses kept",
        swap("recent.append(loss.item())", "recent.append(loss)\n        kept.append(loss)"),
        swap("    recent = []\n    for it", "    recent, kept = [], []\n    for it"),
        swap("sum(recent) / len(recent)", "sum(recent).item() / len(recent)"),
        swap(ITERS, ITERS.replace("300", "150")),
    ),
]
