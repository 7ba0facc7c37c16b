"""Recipe `commongen` (Lin et al., 2020)."""
