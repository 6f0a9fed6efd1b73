"""What there is in a document: spans, words, placeholders, instructions, schemas. Pure."""
