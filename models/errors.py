"""The one thing that goes wrong in loading a model."""


class ModelError(Exception):
    """A model folder can't be used: the message names the file, what is wrong, and what to do."""
