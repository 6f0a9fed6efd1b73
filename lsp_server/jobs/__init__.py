"""Jobs that run: asked of the engine, drawn in the editor, committed to the document."""
