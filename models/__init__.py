"""The transformer, its layout, weights and tokenizer. Knows tensors, not canvases or requests."""
