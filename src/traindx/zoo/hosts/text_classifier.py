"""Which standard library module does a passage of source come from? Bag of embedded words."""

import argparse
import collections
import email
import inspect
import logging
import random
import re
import statistics

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEED = 0
PAD, UNKNOWN = 0, 1
LABELS = [argparse, logging, statistics, collections, email.message]


def passages():
    samples = []
    for label, module in enumerate(LABELS):
        words = re.findall(r"[A-Za-z_]+", inspect.getsource(module))
        for start in range(0, min(len(words), 6000) - 25, 15):
            samples.append((words[start : start + 25], label))
    return samples


class PassageDataset(Dataset):
    def __init__(self, samples, vocab):
        self.samples = samples
        self.vocab = vocab

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        words, label = self.samples[i]
        return torch.tensor([self.vocab.get(w, UNKNOWN) for w in words]), label


def collate(batch):
    tokens, labels = zip(*batch)
    padded = nn.utils.rnn.pad_sequence(tokens, batch_first=True, padding_value=PAD)
    return padded, torch.tensor(labels)


class TextClassifier(nn.Module):
    def __init__(self, vocab_size, dim=24, num_classes=5):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, dim, padding_idx=PAD)
        self.hidden = nn.Linear(dim, 32)
        self.dropout = nn.Dropout(0.3)
        self.output = nn.Linear(32, num_classes)

    def forward(self, tokens):
        mask = (tokens != PAD).unsqueeze(-1).float()
        embedded = self.embedding(tokens)
        pooled = (embedded * mask).sum(dim=1) / mask.sum(dim=1)
        h = torch.relu(self.hidden(pooled))
        return self.output(self.dropout(h))


def main():
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    samples = passages()
    random.Random(SEED).shuffle(samples)
    n_val = len(samples) // 5
    val_samples, train_samples = samples[:n_val], samples[n_val:]
    counts = collections.Counter(w for words, _ in train_samples for w in words)
    vocab = {w: i + 2 for i, (w, c) in enumerate(counts.most_common(500))}

    train_loader = DataLoader(PassageDataset(train_samples, vocab), batch_size=32, shuffle=True, collate_fn=collate)
    val_loader = DataLoader(PassageDataset(val_samples, vocab), batch_size=128, collate_fn=collate)

    model = TextClassifier(len(vocab) + 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=3, gamma=0.3)
    loss_function = nn.CrossEntropyLoss()

    for epoch in range(10):
        model.train()
        train_loss = 0
        for tokens, labels in train_loader:
            model.zero_grad()
            scores = model(tokens)
            loss = loss_function(scores, labels)
            loss.backward()
            optimizer.step()
            train_loss += loss.item()
        train_loss /= len(train_loader)
        scheduler.step()

        model.eval()
        val_loss, correct = 0, 0
        with torch.no_grad():
            for tokens, labels in val_loader:
                scores = model(tokens)
                val_loss += loss_function(scores, labels).item() * len(labels)
                correct += (scores.argmax(1) == labels).sum().item()
        val_loss /= len(val_samples)
        val_acc = correct / len(val_samples)
        print(f"Epoch {epoch + 1}\tTrain Loss: {train_loss:.3f}\tVal Loss: {val_loss:.3f}\tVal Acc: {val_acc:.3f}")
    print(f"FINAL train_loss={train_loss:.5f} val_loss={val_loss:.5f} quality={val_acc:.4f}")


if __name__ == "__main__":
    main()
