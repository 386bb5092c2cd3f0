"""Expected values and win probabilities of Crapola, and the stored tables behind them."""
