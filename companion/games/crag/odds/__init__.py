"""Expected values and win probabilities of Crag, and the stored tables behind them."""
