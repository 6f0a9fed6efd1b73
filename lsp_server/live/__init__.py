"""Jobs as the editor sees them: where their holes are, what they look like, when to draw. Pure."""
