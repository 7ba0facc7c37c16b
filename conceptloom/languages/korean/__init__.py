"""Korean: normalisation, sentence splitting, taggers, concept rules."""
