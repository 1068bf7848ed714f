"""train.csv of Kaggle's digit recognizer (label, pixel0..pixel783) from the MNIST stand-in: 20,000 of 42,000 rows."""
import os, numpy as np, pandas as pd
R = os.environ["REAL_PROGRAMS"]
z = np.load(os.path.join(R, "pkgs/torchvision/_data/MNIST.npz"))
x, y = z["train"][:20000].reshape(20000, -1), z["train_y"][:20000]
f = pd.DataFrame(x, columns=[f"pixel{i}" for i in range(784)]); f.insert(0, "label", y)
d = os.path.join(R, "checkouts/DavideZFC__Pytorch-Exercises/Ex7/data"); os.makedirs(d, exist_ok=True)
f.to_csv(os.path.join(d, "train.csv"), index=False)
