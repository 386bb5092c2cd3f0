"""Expected values and win probabilities of Crib Dice, and the stored tables behind them."""
