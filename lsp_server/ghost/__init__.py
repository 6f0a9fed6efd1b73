"""Ghost text: when to ask, what to keep of an answer, and how it meets the text around it."""
