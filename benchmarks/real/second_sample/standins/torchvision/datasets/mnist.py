from . import MNIST
