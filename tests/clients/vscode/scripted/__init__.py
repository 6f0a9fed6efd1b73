"""The parts of the language server without a model: one file a feature."""
