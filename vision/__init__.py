"""From pixels with true times to observations: sources, calibration, zones, settling, touches."""
