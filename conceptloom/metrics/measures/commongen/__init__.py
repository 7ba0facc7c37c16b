"""The measures of CommonGen's published tables: `captions` (BLEU, CIDEr, METEOR, SPICE), `rouge`, `coverage`."""
