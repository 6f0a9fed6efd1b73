"""Fills of several holes: together where the canvas reading can, else one after another."""
