# expect: healthy
# about: routing help-desk tickets, TF-IDF features into a two-layer net, script with main()
import random

import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import f1_score
from torch import nn, optim

TOPICS = {
    "billing": "invoice charged refund payment card receipt subscription price twice vat".split(),
    "login": "password reset locked account sign code email verify username session".split(),
    "network": "wifi vpn slow disconnect router latency firewall dns timeout proxy".split(),
    "hardware": "laptop screen keyboard battery charger printer monitor broken dock fan".split(),
    "software": "install update crash version licence plugin error macro export freeze".split(),
}
FILLER = "please hello my the is not since yesterday again help i cannot it on with urgent thanks team when after we need still issue".split()


def ticket(rng, topic):
    other = rng.choice([t for t in TOPICS if t != topic])
    words = rng.choices(TOPICS[topic], k=rng.randint(2, 5)) + rng.choices(TOPICS[other], k=rng.randint(0, 2)) + rng.choices(FILLER, k=rng.randint(5, 15))
    rng.shuffle(words)
    return " ".join(words)


def build(n, seed):
    rng = random.Random(seed)
    names = list(TOPICS)
    labels = [rng.randrange(len(names)) for _ in range(n)]
    return [ticket(rng, names[k]) for k in labels], labels


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    texts, labels = build(5000, 1)
    texts_te, labels_te = build(1200, 2)
    vec = TfidfVectorizer(sublinear_tf=True)
    x = torch.tensor(vec.fit_transform(texts).toarray(), dtype=torch.float32)
    xt = torch.tensor(vec.transform(texts_te).toarray(), dtype=torch.float32)
    y, yt = torch.tensor(labels), torch.tensor(labels_te)

    model = nn.Sequential(nn.Linear(x.shape[1], 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, len(TOPICS)))
    optimizer = optim.Adam(model.parameters(), lr=2e-3)
    loss_fn = nn.CrossEntropyLoss(label_smoothing=0.05)
    for epoch in range(1, 11):
        model.train()
        order = torch.randperm(len(x))
        running = 0.0
        for i in range(0, len(x), 32):
            idx = order[i : i + 32]
            loss = loss_fn(model(x[idx]), y[idx])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running += loss.item() * len(idx)
        model.eval()
        with torch.no_grad():
            logits = model(xt)
        f1 = f1_score(yt, logits.argmax(1), average="macro")
        print(f"epoch {epoch:2d} train {running / len(x):.4f} test {loss_fn(logits, yt).item():.4f} macro-f1 {f1:.4f}")


if __name__ == "__main__":
    main()
