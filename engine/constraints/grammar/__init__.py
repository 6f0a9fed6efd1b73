"""Context-free grammars in EBNF or Lark's syntax -> rules over bytes, for bounded recursion."""
