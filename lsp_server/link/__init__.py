"""The way to the engine: find its server or start it, and talk infill.v1 with it."""
