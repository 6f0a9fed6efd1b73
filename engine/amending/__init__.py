"""What a person does to a canvas while it is filled: throw back, type, resize, accept, edit."""
