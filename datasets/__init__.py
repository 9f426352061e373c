"""Decks, synthetic scenes, the table simulator, and sets to train and measure with."""
