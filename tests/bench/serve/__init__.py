"""How fast, how fair and how frugal the server is."""
