"""Placeholder: libraries that find torchvision import names from here; nothing of it works."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (), {})
