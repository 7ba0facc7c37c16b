"""How certain scores are: `draws` computes scores on resamples, `significance` makes intervals and p-values of them."""
