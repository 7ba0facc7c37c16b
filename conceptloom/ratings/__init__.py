"""What people say of sentences: readers of ratings, agreement, rankings, and how far metrics follow them."""
