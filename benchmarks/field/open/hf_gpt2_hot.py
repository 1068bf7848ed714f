# expect: lr-too-high
# also: no-warmup
# about: Hugging Face Trainer, tiny GPT-2 from config, learning rate 0.1 typed for 1e-3
import inspect
import tempfile
import colorsys as lib
import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

torch.set_num_threads(1)
set_seed(0)
text = inspect.getsource(lib)
chars = sorted(set(text))
ids = torch.tensor([chars.index(c) for c in text])


class Windows(Dataset):
    def __init__(self, ids, n=32):
        self.w = ids.unfold(0, n, 4)

    def __len__(self):
        return len(self.w)

    def __getitem__(self, i):
        return {"input_ids": self.w[i], "labels": self.w[i]}


model = GPT2LMHeadModel(GPT2Config(vocab_size=len(chars), n_positions=32, n_embd=48, n_layer=2, n_head=4, bos_token_id=0, eos_token_id=0))
args = TrainingArguments(
    output_dir=tempfile.mkdtemp(),
    learning_rate=0.1,
    num_train_epochs=3,
    per_device_train_batch_size=16,
    lr_scheduler_type="constant",
    logging_steps=20,
    save_strategy="no",
    eval_strategy="epoch",
    report_to="none",
    use_cpu=True,
    disable_tqdm=True,
    dataloader_pin_memory=False,
)
cut = int(0.85 * len(ids))
Trainer(model=model, args=args, train_dataset=Windows(ids[:cut]), eval_dataset=Windows(ids[cut:])).train()
# cure: - learning_rate=0.1,
# cure: + learning_rate=3e-3,
