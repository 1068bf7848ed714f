from PIL import Image

from .transforms.functional import pil_to_tensor


def read_image(path, mode=None):
    return pil_to_tensor(Image.open(path))
