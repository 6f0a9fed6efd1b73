"""Fills that keep to a language."""
