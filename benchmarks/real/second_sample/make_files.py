"""Puts generated or rearranged data where the programs look for it, under REAL_PROGRAMS."""
import os, shutil
import numpy as np, pandas as pd
R = os.environ["REAL_PROGRAMS"]
C = lambda *a: os.path.join(R, "checkouts", *a)
rng = np.random.default_rng(3)

# word models: a part of the book that one of the repositories holds
book = open(C("ChiaraCampagnola__pytorch-LSTM", "alice.txt")).read().split("\n")
open(C("ChiaraCampagnola__pytorch-LSTM", "mini_alice.txt"), "w").write("\n".join(book[1700:2300]) + "\n")
open(C("The-Maker17__Basic-Pytorch-LSTM-Program", "data.txt"), "w").write("\n".join(book[100:330]))

# folders under the names that the programs use
d = C("rainof__pytorch-lstm-material-classification", "data", "FVR")
if not os.path.exists(d): os.symlink("fvr", d)
d = C("safakkbilici__Name-Classification-By-Nations", "data", "names")
if not os.path.exists(d): os.symlink(".", d)
f = C("Balding-Lee__PyTorch-MLP-for-personalized-dress-matching", "data", "parameters_layer2.pkl")
if os.path.exists(f): os.remove(f)  # with a saved model the program does not train
os.makedirs(C("johnsonhsu1999__cifar10-pytorch", "nn", "models"), exist_ok=True)
os.makedirs(C("axeloh__GAT-pytorch", "saved_models"), exist_ok=True)

# two years of hourly weather at one place (ERA5 columns and units)
n = 2 * 8760
t = np.arange(n)
ar = lambda a, s: np.array([x for x in _ar(a, s)])
def _ar(a, s):
    v = 0.0
    for e in rng.normal(0, s, n):
        v = a * v + e
        yield v
low = ar(0.985, 0.17)  # passing lows
T = 286 + 8 * np.sin(2 * np.pi * (t / 8760 - .3)) + 4 * np.sin(2 * np.pi * (t % 24 / 24 - .3)) + 2.5 * ar(.98, .2)
dep = np.clip(4 + 2.5 * np.sin(2 * np.pi * (t % 24 / 24 - .3)) + 2.2 * low + ar(.95, .5), .05, None)
dew = T - dep
P = 101300 + 750 * low + 120 * ar(.97, .24)
u, v = 2.5 * ar(.96, .28) - 1.5 * low, 2.5 * ar(.96, .28)
skin = T + 1.5 * np.sin(2 * np.pi * (t % 24 / 24 - .3)) + rng.normal(0, .4, n)
s = 1.1 - .75 * dep - 1.1 * low + .15 * u + rng.logistic(0, .6, n)
rain = np.where(s > 0, 1e-4 * np.exp(np.clip(s, 0, 4)) * rng.uniform(.3, 1.7, n), 0) 
W = C("NF55-55__Rain-prediction-feedForward-Neural-Network-PyTorch", "weatherData")
os.makedirs(W, exist_ok=True)
time = pd.date_range("2023-01-01", periods=n, freq="h").strftime("%Y-%m-%d %H:%M:%S")
pd.DataFrame(dict(valid_time=time, d2m=dew, t2m=T)).to_csv(W + "/dewTemp and 2mTemp.csv", index=False)
pd.DataFrame(dict(valid_time=time, u10=u, v10=v)).to_csv(W + "/east-north wind components at 10m.csv", index=False)
pd.DataFrame(dict(valid_time=time, sp=P, tp=rain)).to_csv(W + "/pressure and precipitation.csv", index=False)
pd.DataFrame(dict(valid_time=time, skt=skin)).to_csv(W + "/surface temperature.csv", index=False)
print("rain", (rain >= 5e-4).mean(), ((rain >= 1e-4) & (rain < 5e-4)).mean())

# minute prices of 81 stocks and the index, as nasdaq100_padding.csv (3,000 of 40,560 rows)
n, k = 3000, 81
m = rng.normal(0, 2.5e-4, n)
price = np.exp(rng.normal(4.0, .8, k))
r = m[:, None] * rng.uniform(.5, 1.5, k) + rng.normal(0, 5e-4, (n, k))
S = price * np.exp(np.cumsum(r, 0))
ndx = 4800 * (S / price).mean(1)
f = pd.DataFrame(np.round(S, 3), columns=[f"S{i:02d}" for i in range(k)])
f["NDX"] = np.round(ndx, 3)
os.makedirs(C("Neocryan__PyTorch-TimeSeries-LSTM", "data"), exist_ok=True)
f.to_csv(C("Neocryan__PyTorch-TimeSeries-LSTM", "data", "nasdaq100_padding.csv"), index=False)
print("done")
