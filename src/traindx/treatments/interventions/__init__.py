"""The interventions: one file each; `treatments._base` says what it defines."""
