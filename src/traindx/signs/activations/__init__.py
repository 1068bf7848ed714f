"""How signals pass through the layers: dead, saturated, shrinking, growing, alike."""
