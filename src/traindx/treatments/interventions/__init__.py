"""The interventions: each is a function under the decorator `@intervention`; see `treatments._base`."""
