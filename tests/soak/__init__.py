"""What only shows after long: hours of play in minutes."""
