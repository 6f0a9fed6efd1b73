"""What of the editor's documents the model may see, and how they are told."""
