"""Pages and plots as HTML and SVG that need no other file."""
