"""What is written and read again: the log, results, boards and players."""
