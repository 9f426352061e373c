"""``touchjudge simulate``: a rendered match video with its truth."""
