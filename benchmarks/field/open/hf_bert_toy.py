# expect: healthy
# about: Hugging Face Trainer, config-only BERT, which of two words occurs more often
import tempfile
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

torch.set_num_threads(1)
set_seed(11)


class Counting(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randint(5, 12, (n, 16), generator=g)
        self.y = ((self.x == 7).sum(1) > (self.x == 9).sum(1)).long()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"input_ids": self.x[i], "attention_mask": torch.ones(16, dtype=torch.long), "labels": self.y[i]}


config = BertConfig(vocab_size=16, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96, max_position_embeddings=32, num_labels=2)
model = BertForSequenceClassification(config)
args = TrainingArguments(output_dir=tempfile.mkdtemp(), num_train_epochs=3, per_device_train_batch_size=32, learning_rate=1e-3, warmup_steps=20, lr_scheduler_type="linear", logging_steps=25, eval_strategy="epoch", save_strategy="no", report_to="none", use_cpu=True, disable_tqdm=True, dataloader_pin_memory=False)
trainer = Trainer(model=model, args=args, train_dataset=Counting(2400, 0), eval_dataset=Counting(400, 1), compute_metrics=lambda p: {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())})
trainer.train()
print(trainer.evaluate())
