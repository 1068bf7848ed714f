"""Signs of experiments: what probes found out (`dependence`, `memorise`) where watching cannot tell."""
