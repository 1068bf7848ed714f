# expect: healthy
# about: UMAP-like layout of digits: the parameters are the 2-d points, attraction on neighbour edges and repulsion of random pairs; the loss never comes near zero
import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.manifold import trustworthiness
from sklearn.neighbors import KNeighborsClassifier, kneighbors_graph

torch.set_num_threads(1)
np.random.seed(0)
torch.manual_seed(0)
data = load_digits()
X, y = data.data[:900] / 16, data.target[:900]
graph = kneighbors_graph(X, 12, mode="distance")
graph.data = np.exp(-(graph.data - graph.data.reshape(900, 12).min(1).repeat(12)) / np.repeat(graph.data.reshape(900, 12).std(1) + 1e-3, 12))
sym = (graph + graph.T - graph.multiply(graph.T)).tocoo()
edges = torch.tensor(np.stack([sym.row, sym.col]))
weight = torch.tensor(sym.data)
start = PCA(2).fit_transform(X)
points = torch.tensor(10 * start / start.std(), dtype=torch.float32).div(10).requires_grad_()
A, B, NEG = 1.58, 0.9, 4


def affinity(d2):
    return 1 / (1 + A * (d2 + 1e-6) ** B)


optimizer = torch.optim.Adam([points], lr=0.2)
STEPS = 500
sched = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.01, STEPS)
for it in range(STEPS):
    pick = torch.multinomial(weight, 2048, replacement=True)
    i, j = edges[0, pick], edges[1, pick]
    k = torch.randint(0, 900, (2048, NEG))
    pull = -affinity((points[i] - points[j]).pow(2).sum(1)).log()
    push = -(1 - affinity((points[i, None] - points[k]).pow(2).sum(2)) + 1e-3).log()
    loss = pull.mean() + push.sum(1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    sched.step()
    if it % 50 == 49:
        print(f"iteration {it + 1} loss {loss.item():.4f} spread {points.std().item():.2f}")
Z = points.detach().numpy()
for name, E in [("pca", start), ("this layout", Z)]:
    acc = KNeighborsClassifier(5).fit(E[:600], y[:600]).score(E[600:], y[600:])
    print(f"{name}: trustworthiness {trustworthiness(X, E, n_neighbors=10):.3f}, 5-nn accuracy {acc:.3f}")
