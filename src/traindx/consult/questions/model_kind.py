"""What kind of model it is."""

from ._base import Option, Question

_SHALLOW = {"squashing-depth": 0.0, "recurrent-or-deep-plain": 0.0}

QUESTION = Question(
    id="model-kind",
    ask="What kind of model is it?",
    why="Recurrence and depth without norm layers multiply gradients; batch norm couples the samples of a batch.",
    how="print(model).",
    options=(
        Option("small", "A few layers", "the model has a few layers", _SHALLOW, share=4),
        Option(
            "deep-plain",
            "Deep (more than 10 layers), without norm layers or skips",
            "the model is deep, without norm layers or skip connections",
            {"recurrent-or-deep-plain": 0.8, "squashing-depth": 0.1},
            share=0.8,
        ),
        Option(
            "deep-sigmoid",
            "Deep, with sigmoid or tanh between layers",
            "the model is deep with sigmoid or tanh between its layers",
            {"squashing-depth": 0.9, "recurrent-or-deep-plain": 0.5},
            share=0.6,
        ),
        Option(
            "linear",
            "Linear layers with no activation between them",
            "no activation stands between linear layers",
            {"linear-chain": 0.9, **_SHALLOW},
            share=0.3,
        ),
        Option(
            "recurrent",
            "Recurrent (RNN, LSTM, GRU)",
            "the model is recurrent",
            {"recurrent-or-deep-plain": 1.0, "squashing-depth": 0.1},
            share=1.5,
            words=("lstm", "rnn", "gru"),
        ),
        Option(
            "batch-norm",
            "Convolutions with batch norm (ResNet and its like)",
            "the model uses batch norm",
            _SHALLOW,
            {"modes": {"mode_layers": ["BatchNorm"]}},
            share=3,
            words=("resnet", "batch norm", "batchnorm"),
        ),
        Option(
            "transformer",
            "A transformer",
            "the model is a transformer",
            _SHALLOW,
            share=3,
            words=("transformer", "bert", "gpt"),
        ),
    ),
)
