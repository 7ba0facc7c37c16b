"""Pages and plots as HTML and SVG that need no other file: `html` makes elements, `plots` and `heatmap` draw.

`finite` prepares numbers for JSON.
"""
