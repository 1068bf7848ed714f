# expect: output-range-mismatch
# about: convolutional autoencoder ends in tanh but the images run from 0 to 16
# also: unscaled-targets, unscaled-inputs
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
imgs = torch.tensor(load_digits().images).float().unsqueeze(1)
train_dl = DataLoader(imgs[:1500], batch_size=64, shuffle=True)
val = imgs[1500:]
encoder = nn.Sequential(nn.BatchNorm2d(1), nn.Conv2d(1, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU())
decoder = nn.Sequential(nn.ConvTranspose2d(16, 8, 2, 2), nn.ReLU(), nn.ConvTranspose2d(8, 1, 2, 2))
out_act = nn.Tanh()
params = [*encoder.parameters(), *decoder.parameters()]
opt = torch.optim.Adam(params, lr=5e-3)
for epoch in range(15):
    encoder.train()
    for x in train_dl:
        recon = out_act(decoder(encoder(x)))
        loss = nn.functional.mse_loss(recon, x)
        opt.zero_grad()
        loss.backward()
        opt.step()
    encoder.eval()
    with torch.no_grad():
        v = nn.functional.mse_loss(out_act(decoder(encoder(val))), val)
    print(f"epoch {epoch} recon {loss.item():.3f} val {v.item():.3f}")
# cure: - out_act = nn.Tanh()
# cure: + out_act = nn.Identity()
