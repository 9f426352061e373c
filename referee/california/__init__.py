"""The rules of California Speed: open rows in which cards of equal rank are covered."""
