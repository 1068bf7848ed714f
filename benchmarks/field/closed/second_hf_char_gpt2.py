# expect: healthy
"""Tiny GPT-2 from scratch on stdlib source code through the HF Trainer."""
import argparse, collections, inspect, json, math, random, textwrap
import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

set_seed(5)
text = "".join(inspect.getsource(m) for m in (argparse, random, textwrap, collections))
chars = sorted(set(text))
ids = np.array([chars.index(c) for c in text])
cut = int(0.9 * len(ids))
BLOCK = 64


class CharBlocks(Dataset):
    def __init__(self, arr, stride):
        self.arr = torch.tensor(arr)
        self.starts = list(range(0, len(arr) - BLOCK, stride))

    def __len__(self):
        return len(self.starts)

    def __getitem__(self, i):
        x = self.arr[self.starts[i]:self.starts[i] + BLOCK]
        return {"input_ids": x, "labels": x.clone()}


config = GPT2Config(vocab_size=len(chars), n_positions=BLOCK, n_embd=64, n_layer=2, n_head=4,
                    resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=0, eos_token_id=0)
model = GPT2LMHeadModel(config)
args = TrainingArguments(
    output_dir="/tmp/char_gpt2", max_steps=400, per_device_train_batch_size=16, learning_rate=3e-3, lr_scheduler_type="cosine",
    warmup_steps=50, weight_decay=0.01, eval_strategy="steps", eval_steps=100, logging_steps=50, save_strategy="no",
    report_to=[], use_cpu=True, disable_tqdm=True, dataloader_pin_memory=False, seed=5)
trainer = Trainer(model=model, args=args, train_dataset=CharBlocks(ids[:cut], 16), eval_dataset=CharBlocks(ids[cut:], BLOCK))
trainer.train()

V = len(chars)
uni = np.bincount(ids[:cut], minlength=V) + 0.5
bi = np.full((V, V), 0.05)
np.add.at(bi, (ids[:cut - 1], ids[1:cut]), 1)
u = -np.log(uni / uni.sum())[ids[cut:]].mean()
b = -np.log(bi / bi.sum(1, keepdims=True))[ids[cut:-1], ids[cut + 1:]].mean()
print(f"eval loss {trainer.evaluate()['eval_loss']:.3f}  unigram {u:.3f}  bigram {b:.3f}")
