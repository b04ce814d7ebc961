"""The race server: pure race rules inside, thin shells of sockets and SQLite around them."""
