# expect: healthy
# about: learning to rank with ListNet; the floor of the loss is the entropy of the relevance distribution
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(21)
Q, D, K = 1200, 20, 12
teacher = torch.nn.Sequential(torch.nn.Linear(K, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
with torch.no_grad():
    docs = torch.randn(Q, D, K)
    rel = teacher(docs).squeeze(-1) * 4 + 0.3 * torch.randn(Q, D)
train_q, test_q = range(0, 1000), range(1000, Q)

ranker = torch.nn.Sequential(torch.nn.Linear(K, 64), torch.nn.ReLU(), torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
optim = torch.optim.RMSprop(ranker.parameters(), lr=1e-3)


def listnet(scores, relevance):
    return -(F.softmax(relevance, dim=1) * F.log_softmax(scores, dim=1)).sum(1).mean()


def ndcg(scores, relevance, k=5):
    gain = relevance - relevance.min(1, keepdim=True).values
    disc = 1 / torch.log2(torch.arange(k) + 2.0)
    got = torch.gather(gain, 1, scores.argsort(1, descending=True)[:, :k]) @ disc
    best = gain.sort(1, descending=True).values[:, :k] @ disc
    return (got / best).mean().item()


epoch = 0
while epoch < 12:
    perm = torch.randperm(1000)
    for chunk in perm.split(20):
        loss = listnet(ranker(docs[chunk]).squeeze(-1), rel[chunk])
        optim.zero_grad(set_to_none=True)
        loss.backward()
        optim.step()
    for group in optim.param_groups:
        group["lr"] *= 0.85
    with torch.no_grad():
        s = ranker(docs[1000:]).squeeze(-1)
        entropy = listnet(rel[1000:], rel[1000:]).item()
        print(f"epoch {epoch} last loss {loss.item():.4f} test {listnet(s, rel[1000:]).item():.4f} (entropy {entropy:.4f}) ndcg@5 {ndcg(s, rel[1000:]):.4f}")
    epoch += 1
