"""The commands that run the server or look into its database."""
