"""What server and client agree on: the rules, the text forms and the wire. Pure throughout."""
