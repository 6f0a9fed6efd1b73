"""How long a person who types waits for ghost text, and what the language server weighs."""
