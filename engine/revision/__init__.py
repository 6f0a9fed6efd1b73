"""Revision: finds the weakest tokens of a text that stands and keeps better ones."""
