"""A tiny stand-in for torchvision: only what the programs here use. Its data are generated (make/make_images.py)."""
from . import datasets, transforms, models, ops, io, utils
__version__ = "0.0-standin"
