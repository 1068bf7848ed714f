# expect: undertrained
import calendar
import tempfile
from pathlib import Path

import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

set_seed(0)
text = Path(calendar.__file__).read_text()
vocab = {c: i for i, c in enumerate(sorted(set(text)))}
ids = torch.tensor([vocab[c] for c in text])
BLOCK = 48


class Chunks(Dataset):
    def __init__(self, x, stride):
        self.x, self.starts = x, list(range(0, len(x) - BLOCK, stride))

    def __len__(self):
        return len(self.starts)

    def __getitem__(self, i):
        c = self.x[self.starts[i]:self.starts[i] + BLOCK]
        return {"input_ids": c, "labels": c}


cut = int(0.9 * len(ids))
model = GPT2LMHeadModel(GPT2Config(vocab_size=len(vocab), n_positions=BLOCK, n_embd=64, n_layer=2, n_head=4,
                                   resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=0, eos_token_id=0))
args = TrainingArguments(
    output_dir=tempfile.mkdtemp(),
    num_train_epochs=5,
    max_steps=25,
    per_device_train_batch_size=24,
    learning_rate=3e-3,
    lr_scheduler_type="linear",
    warmup_steps=10,
    logging_steps=25,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    disable_tqdm=True,
)
trainer = Trainer(model=model, args=args, train_dataset=Chunks(ids[:cut], 16), eval_dataset=Chunks(ids[cut:], BLOCK))
trainer.train()
ev = trainer.evaluate()
print("eval loss", ev["eval_loss"])
