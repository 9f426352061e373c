"""House rules as they are played elsewhere: one TOML file each, with a game and its ``[rules]``."""
