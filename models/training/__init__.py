"""Training of the card models; needs the ``train`` extra."""
