"""One file a step, each named after what it brings."""
