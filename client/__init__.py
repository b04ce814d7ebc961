"""Those who play: the view of a race, the connection that feeds it, and what is built on both."""
