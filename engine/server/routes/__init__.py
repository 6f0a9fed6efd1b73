"""The HTTP routes that existing clients speak; every one of them runs a Fill."""
