"""What trials change inside the script's own process. A row of `interventions/` names a driver."""
