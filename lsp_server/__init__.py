"""The language server: what an editor shows and asks, and what the engine answers, as edits."""
