"""What this engine can do beyond filling one hole: told to clients, checked at every request."""

CAPABILITIES: frozenset[str] = frozenset(
    {"alternatives", "context", "instruction", "old_text", "revise:pin"}
)
"""Names as in protocol.capabilities."""
