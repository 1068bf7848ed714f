# expect: healthy
import inspect, os, tempfile, textwrap, logging
import heapq, bisect, string, queue, sched, statistics
import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed
import transformers
transformers.logging.set_verbosity_error()

set_seed(11)
text = "".join(inspect.getsource(m) for m in (statistics, heapq, queue))[:80000]
chars = sorted(set(text))
ids = torch.tensor([chars.index(c) for c in text])
L = 48
blocks = ids[:len(ids) // L * L].view(-1, L)


class Blocks(torch.utils.data.Dataset):
    def __init__(self, b):
        self.b = b

    def __len__(self):
        return len(self.b)

    def __getitem__(self, i):
        return {"input_ids": self.b[i], "labels": self.b[i]}


g = torch.randperm(len(blocks), generator=torch.Generator().manual_seed(0))
cut = int(0.9 * len(blocks))
model = GPT2LMHeadModel(GPT2Config(vocab_size=len(chars), n_positions=L, n_embd=64, n_layer=2, n_head=4, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=0, eos_token_id=0))
args = TrainingArguments(output_dir=tempfile.mkdtemp(), num_train_epochs=9, per_device_train_batch_size=8, per_device_eval_batch_size=64, learning_rate=4e-3,
                         warmup_steps=40, lr_scheduler_type="cosine", weight_decay=0.05, logging_steps=100, eval_strategy="epoch", save_strategy="no", report_to=[], disable_tqdm=True, use_cpu=True)
tr = Trainer(model=model, args=args, train_dataset=Blocks(blocks[g[:cut]]), eval_dataset=Blocks(blocks[g[cut:]]))
tr.train()
p = torch.bincount(ids, minlength=len(chars)).float()
print("eval loss", tr.evaluate()["eval_loss"], "unigram entropy", -(p / p.sum()).log()[ids].mean().item())
