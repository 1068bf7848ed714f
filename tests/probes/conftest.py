"""The trainings of these tests run in this process."""

import torch

torch.set_num_threads(1)
