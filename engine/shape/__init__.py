"""Owns what a hole looks like: languages, a light lexer, stopping, repair. Knows no tokens."""
