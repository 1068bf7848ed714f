# expect: healthy
import tempfile
import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

set_seed(11)

VOCAB, SEQ, N_CLASS = 60, 20, 4
PAD, CLS = 0, 1


class MarkerDataset(Dataset):
    """sequences where the first of four marker tokens decides the class"""

    def __init__(self, n, seed):
        r = np.random.default_rng(seed)
        self.rows = []
        for _ in range(n):
            length = int(r.integers(8, SEQ))
            toks = r.integers(10, VOCAB, size=length)
            lab = int(r.integers(N_CLASS))
            toks[int(r.integers(length))] = 2 + lab
            ids = np.full(SEQ, PAD)
            ids[0] = CLS
            ids[1:length + 1] = toks[: SEQ - 1]
            self.rows.append({
                "input_ids": torch.tensor(ids),
                "attention_mask": torch.tensor((ids != PAD).astype(int)),
                "labels": torch.tensor(lab),
            })

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def metrics(p):
    return {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}


config = BertConfig(vocab_size=VOCAB, hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
                    intermediate_size=96, max_position_embeddings=SEQ, num_labels=N_CLASS)
model = BertForSequenceClassification(config)
args = TrainingArguments(
    output_dir=tempfile.mkdtemp(),
    num_train_epochs=6,
    per_device_train_batch_size=32,
    per_device_eval_batch_size=128,
    learning_rate=1e-3,
    warmup_steps=20,
    eval_strategy="epoch",
    save_strategy="no",
    logging_steps=50,
    report_to="none",
    use_cpu=True,
    disable_tqdm=True,
)
trainer = Trainer(model=model, args=args, train_dataset=MarkerDataset(2000, 0), eval_dataset=MarkerDataset(400, 1),
                  compute_metrics=metrics)
trainer.train()
print(trainer.evaluate())
