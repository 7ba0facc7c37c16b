"""What is scored: predictions, references, and which belongs to which."""
