# expect: healthy
# about: Hugging Face Trainer with a tiny DistilBERT from scratch on product-search intents, linear warmup schedule, accuracy by compute_metrics
import random
import tempfile
import warnings

import numpy as np
import torch
from transformers import DistilBertConfig, DistilBertForSequenceClassification, Trainer, TrainingArguments, set_seed
from transformers.utils import logging

warnings.filterwarnings("ignore")
logging.set_verbosity_error()
torch.set_num_threads(1)
set_seed(6)
rng = random.Random(6)

PRODUCTS = "shoes jacket phone lamp sofa kettle tent bike drill camera".split()
PATTERNS = {
    0: ["cheap {p}", "{p} under {n}", "discount on {p}", "best price for {p}"],
    1: ["return my {p}", "{p} arrived broken", "refund for {p} order {n}", "send back {p}"],
    2: ["where is my {p}", "track {p} order {n}", "when does {p} arrive", "delivery of {p} late"],
    3: ["how to clean {p}", "{p} manual", "is {p} waterproof", "spare parts for {p}"],
}


def query():
    k = rng.randrange(4)
    words = rng.choice(PATTERNS[k]).format(p=rng.choice(PRODUCTS), n=rng.choice(["50", "100", "200"])).split()
    words = rng.sample(["hi", "please", "um", "ok"], rng.randrange(3)) + words
    if rng.random() < 0.04:
        k = rng.randrange(4)
    return words, k


rows = [query() for _ in range(2600)]
vocab = {w: i + 2 for i, w in enumerate(sorted({w for ws, _ in rows for w in ws}))}
MAXLEN = 10


def encode(words):
    ids = [1] + [vocab[w] for w in words][: MAXLEN - 1]
    mask = [1] * len(ids) + [0] * (MAXLEN - len(ids))
    return {"input_ids": ids + [0] * (MAXLEN - len(ids)), "attention_mask": mask}


data = [{**encode(w), "labels": k} for w, k in rows]
config = DistilBertConfig(vocab_size=len(vocab) + 2, max_position_embeddings=MAXLEN, n_layers=2, n_heads=4, dim=48, hidden_dim=96, num_labels=4, pad_token_id=0)
model = DistilBertForSequenceClassification(config)

with tempfile.TemporaryDirectory() as out:
    args = TrainingArguments(
        output_dir=out, num_train_epochs=5, per_device_train_batch_size=32, per_device_eval_batch_size=128, learning_rate=2e-3,
        warmup_steps=30, weight_decay=0.01, logging_steps=35, eval_strategy="epoch", save_strategy="no", report_to=[],
        disable_tqdm=True, use_cpu=True, dataloader_pin_memory=False,
    )
    trainer = Trainer(
        model=model, args=args, train_dataset=data[:2200], eval_dataset=data[2200:],
        compute_metrics=lambda p: {"accuracy": float(np.mean(np.argmax(p.predictions, -1) == p.label_ids))},
    )
    trainer.train()
    print({k: round(v, 4) for k, v in trainer.evaluate().items() if k in ("eval_loss", "eval_accuracy")})
