"""Signs of deeper looks (`traindx run --deep`, and `check`): facts `deep` and `spikes`."""
