"""The interventions. Each is one file; see `treatments._base`."""
