"""A small stand-in for torchvision: generated data sets, PIL/tensor transforms, image utilities, ResNets.

It exists so that programs that only need torchvision for MNIST-like data run offline. Own work.
"""
from . import datasets, io, models, ops, transforms, utils  # noqa: F401

__version__ = "0.0-standin"


def set_image_backend(_name):
    """Accepted and ignored: only PIL exists here."""
