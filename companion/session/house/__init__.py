"""How a game is played at this table besides its rules, and the player that the house seats."""
