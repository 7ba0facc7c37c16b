"""What is done with finished builds."""
