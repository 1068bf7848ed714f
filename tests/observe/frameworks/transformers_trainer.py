"""Hugging Face's Trainer with a model made from a configuration alone."""

import tempfile

import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

set_seed(0)
config = BertConfig(
    vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, num_labels=2
)
ids = torch.randint(0, 50, (96, 8))
rows = [{"input_ids": row, "labels": row[0] % 2} for row in ids]
with tempfile.TemporaryDirectory() as folder:
    trainer = Trainer(
        BertForSequenceClassification(config),
        TrainingArguments(
            folder,
            num_train_epochs=2,
            per_device_train_batch_size=16,
            eval_strategy="epoch",
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            use_cpu=True,
            learning_rate=1e-3,
        ),
        train_dataset=rows[:64],
        eval_dataset=rows[64:],
    )
    trainer.train()
print("steps", trainer.state.global_step)
