"""JSON Schema -> expressions over bytes; every keyword is enforced, ignored by name or refused."""
