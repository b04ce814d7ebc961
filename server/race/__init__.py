"""A race as pure values: what is said to it, what it answers, and what follows."""
