"""Quantiles are NumPy's."""

import numpy as np
import pytest

from vision.quantile import quantile


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.5, 0.85, 1.0])
@pytest.mark.parametrize("count", [1, 2, 7, 500])
def test_a_quantile_is_what_numpy_says(share: float, count: int) -> None:
    values = np.random.default_rng(count).normal(size=count).astype(np.float32)

    found = quantile(values, share)

    assert found == pytest.approx(float(np.quantile(values, share)), abs=1e-6)
