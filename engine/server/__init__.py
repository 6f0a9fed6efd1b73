"""The web process: bytes in, bytes out. No torch; engines are reached through a hub."""
