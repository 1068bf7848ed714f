"""Whether gradients, parameters, optimizer, scheduler and modes are connected as meant."""
