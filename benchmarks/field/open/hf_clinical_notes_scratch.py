# expect: lr-too-low
# also: undertrained
# about: a tiny BERT built from a config and trained from scratch with the Trainer's usual arguments
import tempfile
import warnings

import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
set_seed(5)


class Notes(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, 3, (n,), generator=g)
        self.x = torch.randint(40, 100, (n, 16), generator=g)
        for _ in range(4):
            at = torch.randint(1, 16, (n,), generator=g)
            self.x[torch.arange(n), at] = 2 + self.y * 10 + torch.randint(0, 10, (n,), generator=g)
        self.x[:, 0] = 1

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"input_ids": self.x[i], "labels": self.y[i]}


config = BertConfig(vocab_size=100, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96, max_position_embeddings=16, num_labels=3)
model = BertForSequenceClassification(config)
with tempfile.TemporaryDirectory() as folder:
    args = TrainingArguments(
        output_dir=folder,
        learning_rate=5e-5,
        num_train_epochs=4,
        per_device_train_batch_size=16,
        weight_decay=0.01,
        logging_steps=30,
        eval_strategy="epoch",
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
        dataloader_pin_memory=False,
    )
    trainer = Trainer(model=model, args=args, train_dataset=Notes(900, 1), eval_dataset=Notes(200, 2),
                      compute_metrics=lambda p: {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())})
    trainer.train()
    print({k: round(v, 4) for k, v in trainer.evaluate().items() if k in ("eval_loss", "eval_accuracy")})
# cure: - learning_rate=5e-5,
# cure: + learning_rate=2e-3,
