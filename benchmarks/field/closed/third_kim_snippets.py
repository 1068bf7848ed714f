# expect: undertrained
import inspect, tempfile
import torch
import transformers
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed
import tarfile, zipfile
transformers.logging.set_verbosity_error()

set_seed(5)
text = inspect.getsource(zipfile)[:2000] + inspect.getsource(tarfile)[:90000]
chars = sorted(set(text))
ids = torch.tensor([chars.index(c) for c in text])
L = 40
rows = ids[:len(ids) // L * L].view(-1, L)
g = torch.randperm(len(rows), generator=torch.Generator().manual_seed(1))
items = [{"input_ids": rows[i], "labels": rows[i]} for i in g.tolist()]
cut = int(0.88 * len(items))
model = GPT2LMHeadModel(GPT2Config(vocab_size=len(chars), n_positions=L, n_embd=48, n_layer=2, n_head=3, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=0, eos_token_id=0))
args = TrainingArguments(output_dir=tempfile.mkdtemp(), max_steps=240, per_device_train_batch_size=16, per_device_eval_batch_size=128, learning_rate=2e-3, lr_scheduler_type="constant_with_warmup",
                         warmup_steps=20, logging_steps=20, eval_strategy="steps", eval_steps=60, save_strategy="no", report_to=[], disable_tqdm=True, use_cpu=True)
t = Trainer(model=model, args=args, train_dataset=items[:cut], eval_dataset=items[cut:])
t.train()
print("valid loss", t.evaluate()["eval_loss"])
