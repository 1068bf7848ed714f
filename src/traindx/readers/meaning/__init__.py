"""What columns mean: from their names and values to the record's training loss, validation loss, learning rate."""
