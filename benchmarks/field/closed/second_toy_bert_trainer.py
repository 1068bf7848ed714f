# expect: weight-decay-too-strong
# also: over-regularized
"""HF Trainer on a toy sentence task with a tiny BERT."""
import os
os.environ["TOKENIZERS_PARALLELISM"] = "false"
import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

set_seed(13)
VOCAB, L = 40, 16


class ToySentences(Dataset):
    """label 1 if token 5 appears more often than token 6"""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randint(7, VOCAB, (n, L), generator=g)
        self.y = torch.randint(0, 2, (n,), generator=g)
        for i in range(n):
            k = int(torch.randint(1, 4, (1,), generator=g))
            pos = torch.randperm(L - 1, generator=g)[:2 * k + 1] + 1
            a, b = (5, 6) if self.y[i] == 1 else (6, 5)
            self.x[i, pos[:k + 1]] = a
            self.x[i, pos[k + 1:]] = b
        self.x[:, 0] = 1

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"input_ids": self.x[i], "attention_mask": torch.ones(L, dtype=torch.long), "labels": self.y[i]}


config = BertConfig(vocab_size=VOCAB, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                    intermediate_size=64, max_position_embeddings=L, num_labels=2)
model = BertForSequenceClassification(config)


def compute_metrics(p):
    return {"accuracy": float((np.argmax(p.predictions, -1) == p.label_ids).mean())}


targs = TrainingArguments(
    output_dir="/tmp/toy_bert", num_train_epochs=12, per_device_train_batch_size=32, learning_rate=2e-3,
    weight_decay=20.0, warmup_steps=30, lr_scheduler_type="linear", eval_strategy="epoch", logging_steps=50,
    save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True, seed=13, dataloader_pin_memory=False,
)
trainer = Trainer(model=model, args=targs, train_dataset=ToySentences(1200, 1), eval_dataset=ToySentences(400, 2),
                  compute_metrics=compute_metrics)
trainer.train()
print(trainer.evaluate())
