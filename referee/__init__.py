"""The referee: cards, piles, rules, verdicts, score and record. Pure: no clock, no randomness, no files."""
