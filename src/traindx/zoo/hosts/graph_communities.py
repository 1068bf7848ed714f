"""Graph convolution: communities of a generated network from weak node features; full-batch training."""

import argparse

import torch
from torch import nn
from torch.nn import functional as F

SEED = 0


def make_graph(nodes, communities, generator):
    labels = torch.randint(communities, (nodes,), generator=generator)
    same = labels[:, None] == labels[None, :]
    chance = torch.where(same, 0.045, 0.008)
    edges = (torch.rand(nodes, nodes, generator=generator) < chance).float().triu(1)
    adjacency = edges + edges.t() + torch.eye(nodes)
    degree = adjacency.sum(1)
    normalized = adjacency / torch.sqrt(degree[:, None] * degree[None, :])
    features = torch.randn(nodes, 16, generator=generator)
    features[torch.arange(nodes), labels] += 1.6
    return features, normalized, labels


class GraphConv(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.linear = nn.Linear(n_in, n_out)

    def forward(self, x, adjacency):
        return adjacency @ self.linear(x)


class GCN(nn.Module):
    def __init__(self, n_in, n_hidden, n_classes):
        super().__init__()
        self.conv1 = GraphConv(n_in, n_hidden)
        self.conv2 = GraphConv(n_hidden, n_classes)

    def forward(self, x, adjacency):
        x = F.dropout(x, 0.2, training=self.training)
        x = F.relu(self.conv1(x, adjacency))
        x = F.dropout(x, 0.4, training=self.training)
        return self.conv2(x, adjacency)


def train_and_validate(model, optimizer, graph, train_mask, val_mask, epochs):
    features, adjacency, labels = graph
    for epoch in range(epochs):
        model.train()
        optimizer.zero_grad()
        output = model(features, adjacency)
        loss = F.cross_entropy(output[train_mask], labels[train_mask])
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            output = model(features, adjacency)
            val_loss = F.cross_entropy(output[val_mask], labels[val_mask]).item()
            val_acc = (output[val_mask].argmax(1) == labels[val_mask]).float().mean().item()
        if epoch % 20 == 19:
            print(
                f"Epoch: {epoch + 1:04d} loss_train: {loss.item():.4f} loss_val: {val_loss:.4f} acc_val: {val_acc:.4f}"
            )
    return loss.item(), val_loss, val_acc


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=160)
    parser.add_argument("--hidden", type=int, default=24)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--weight-decay", type=float, default=5e-4)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    generator = torch.Generator().manual_seed(SEED)
    graph = make_graph(600, 6, generator)
    order = torch.randperm(600, generator=generator)
    train_mask, val_mask = order[:350], order[350:]
    model = GCN(16, args.hidden, 6)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=args.weight_decay)
    train_loss, val_loss, val_acc = train_and_validate(model, optimizer, graph, train_mask, val_mask, args.epochs)
    print(f"FINAL train_loss={train_loss:.5f} val_loss={val_loss:.5f} quality={val_acc:.4f}")


if __name__ == "__main__":
    main()
