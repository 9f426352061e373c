"""``touchjudge train``: makes the shipped models."""
