import torch
from net import Net
from skorch import NeuralNetClassifier
from task import BATCH, EPOCHS, data

torch.manual_seed(0)
x, y = data(1280, 0)
net = NeuralNetClassifier(
    Net,
    criterion=torch.nn.CrossEntropyLoss,
    optimizer=torch.optim.Adam,
    lr=1e-3,
    batch_size=BATCH,
    max_epochs=EPOCHS,
    iterator_train__shuffle=True,
    verbose=0,
)
net.fit(x, y)
