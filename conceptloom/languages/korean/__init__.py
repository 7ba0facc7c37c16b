"""Korean: normalising, sentence splitting, taggers, concept rules."""
