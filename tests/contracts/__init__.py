"""What every game and every store must pass."""
