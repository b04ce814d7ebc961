"""What is answered over HTTP: the page, its files, `/api`."""
