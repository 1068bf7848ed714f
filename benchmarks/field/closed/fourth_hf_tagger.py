# expect: over-regularized
import tempfile
import numpy as np
import torch
from transformers import DistilBertConfig, DistilBertForTokenClassification, Trainer, TrainingArguments, set_seed

set_seed(2)
V, L = 80, 16


class Tags(torch.utils.data.Dataset):
    """token t is tagged by its group, groups swap after a negation token"""

    def __init__(self, n, seed):
        r = np.random.RandomState(seed)
        self.x = r.randint(5, V, (n, L))
        self.x[r.rand(n, L) < 0.08] = 3
        prev = np.concatenate([np.zeros((n, 1), int), self.x[:, :-1]], 1)
        self.y = np.where(self.x == 3, 0, 1 + (self.x + (prev == 3)) % 2)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"input_ids": torch.tensor(self.x[i]), "attention_mask": torch.ones(L, dtype=torch.long),
                "labels": torch.tensor(self.y[i])}


def compute(p):
    pred = p.predictions.argmax(-1)
    return {"token_acc": float((pred == p.label_ids).mean())}


model = DistilBertForTokenClassification(DistilBertConfig(
    vocab_size=V, max_position_embeddings=L, dim=64, hidden_dim=128, n_layers=2, n_heads=4,
    dropout=0.9, attention_dropout=0.1, num_labels=3))
print(sum(p.numel() for p in model.parameters()), "parameters")
args = TrainingArguments(output_dir=tempfile.mkdtemp(), num_train_epochs=6, per_device_train_batch_size=32,
                         learning_rate=2e-3, weight_decay=0.01, warmup_steps=30, save_strategy="no",
                         eval_strategy="epoch", logging_strategy="epoch", report_to="none", use_cpu=True,
                         disable_tqdm=True)
trainer = Trainer(model=model, args=args, train_dataset=Tags(1600, 0), eval_dataset=Tags(400, 1), compute_metrics=compute)
trainer.train()
final = trainer.evaluate()
print("token accuracy", final["eval_token_acc"])
