"""The rules of the games: pure, standard library only; a state is never changed, the next one is made."""
