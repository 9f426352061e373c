"""The commands, one file each. Heavy imports sit inside them, so that ``--help`` answers at once."""
