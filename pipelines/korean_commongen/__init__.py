"""Recipe `korean-commongen` (Seo et al., 2022)."""
