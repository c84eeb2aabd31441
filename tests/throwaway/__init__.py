"""Games that are no part of the product: they show that a game is its own few files, and nothing else.

Yacht was made by following docs/adding-a-game.md. Its choices are names. Liar's Dice has hidden hands. Sealed Bid has
secret moves that are made at the same time, and its choices are numbers.
"""
