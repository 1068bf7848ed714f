# expect: healthy
# about: Hugging Face Trainer on a tiny RoBERTa-like classifier, linear warmup and decay, evaluation each epoch
import os

os.environ["TOKENIZERS_PARALLELISM"] = "false"
import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import RobertaConfig, RobertaForSequenceClassification, Trainer, TrainingArguments, set_seed

torch.set_num_threads(1)
set_seed(11)


class Marked(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.ids = torch.randint(8, 60, (n, 14), generator=g)
        self.ids[:, 0] = 0
        self.y = torch.randint(2, (n,), generator=g)
        a, b = torch.randint(1, 7, (n,), generator=g), torch.randint(7, 14, (n,), generator=g)
        r = torch.arange(n)
        self.ids[r, a] = torch.where(self.y == 1, 4, 5)
        self.ids[r, b] = torch.where(self.y == 1, 5, 4)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "attention_mask": torch.ones(14, dtype=torch.long), "labels": self.y[i]}


config = RobertaConfig(vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_position_embeddings=20, num_labels=2, pad_token_id=1, hidden_dropout_prob=0.05, attention_probs_dropout_prob=0.0)
model = RobertaForSequenceClassification(config)
args = TrainingArguments(
    output_dir="out", num_train_epochs=6, per_device_train_batch_size=32, per_device_eval_batch_size=200, learning_rate=2e-3,
    lr_scheduler_type="linear", warmup_steps=30, weight_decay=0.01, eval_strategy="epoch", save_strategy="no", logging_steps=35, report_to="none", use_cpu=True, disable_tqdm=True)
trainer = Trainer(model=model, args=args, train_dataset=Marked(1300, 0), eval_dataset=Marked(400, 1), compute_metrics=lambda p: {"acc": float((np.argmax(p.predictions, -1) == p.label_ids).mean())})
trainer.train()
print("final accuracy", trainer.evaluate()["eval_acc"])
