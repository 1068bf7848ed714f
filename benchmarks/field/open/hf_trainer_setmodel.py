# expect: healthy
# about: HF Trainer around an own attention-pooling model, metrics every epoch, linear schedule with warmup, gradients clipped at 1.0
import tempfile

import numpy as np
import torch
from torch import nn
from transformers import Trainer, TrainingArguments, set_seed

torch.set_num_threads(1)
set_seed(9)
rng = np.random.default_rng(9)


class Orders(torch.utils.data.Dataset):
    """A basket of up to 12 items; returns happen if the basket mixes a size-A with a size-B item of one brand, or by chance."""

    def __init__(self, n):
        self.rows = []
        for _ in range(n):
            k = rng.integers(4, 13)
            brand, size = rng.integers(0, 6, k), rng.integers(0, 5, k)
            clash = any(((brand == b) & (size == 0)).any() and ((brand == b) & (size == 1)).any() for b in range(6))
            y = clash if rng.random() > 0.05 else not clash
            items = np.zeros(12, dtype=np.int64)
            items[:k] = 1 + brand * 5 + size
            self.rows.append((items, int(y)))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {"input_ids": torch.from_numpy(self.rows[i][0]), "labels": self.rows[i][1]}


class BasketModel(nn.Module):
    def __init__(self, d=48):
        super().__init__()
        self.emb = nn.Embedding(31, d, padding_idx=0)
        layer = nn.TransformerEncoderLayer(d, 4, 96, dropout=0.0, batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(d, 2)

    def forward(self, input_ids, labels=None):
        pad = input_ids == 0
        h = self.enc(self.emb(input_ids), src_key_padding_mask=pad)
        h = h.masked_fill(pad.unsqueeze(-1), -1e4).amax(1)
        logits = self.head(h)
        loss = None if labels is None else nn.functional.cross_entropy(logits, labels)
        return {"loss": loss, "logits": logits}


def compute_metrics(p):
    return {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}


with tempfile.TemporaryDirectory() as out:
    args = TrainingArguments(
        output_dir=out, num_train_epochs=8, per_device_train_batch_size=64, per_device_eval_batch_size=200, learning_rate=2e-3,
        warmup_steps=40, lr_scheduler_type="linear", max_grad_norm=1.0, weight_decay=0.01, eval_strategy="epoch", logging_strategy="epoch",
        save_strategy="no", report_to=[], disable_tqdm=True, use_cpu=True, seed=9)
    train, test = Orders(4000), Orders(800)
    trainer = Trainer(model=BasketModel(), args=args, train_dataset=train, eval_dataset=test, compute_metrics=compute_metrics)
    trainer.train()
    base = max(np.mean([y for _, y in test.rows]), 1 - np.mean([y for _, y in test.rows]))
    print("test accuracy", trainer.evaluate()["eval_accuracy"], "| majority", round(float(base), 3), "| 5 % of the answers are flipped by chance")
