# ruff: noqa: INP001, T201 (a script that prints its table, no package)
"""How the chain's time grows with the size of the picture and with the number of piles.

    python benchmarks/growth.py match.mp4                          # 720p to 4K, and 2, 4, 8 ... piles
    python benchmarks/growth.py match.mp4 --seconds 10 --keep made

The clip's table (``match.toml``) lies beside it. The clip is made smaller and larger, and encoded again at
the same quality (a larger picture shows no more, but costs what it costs); its zones stay where they are on
the table. Piles are left out of the table file, those with the fewest plays first, as the truth beside the
clip (``match.truth.jsonl``) tells. Milliseconds a frame, each stage as ``touchjudge bench`` measures it.
"""

import argparse
import re
import tempfile
from collections import Counter
from pathlib import Path

import av
from rich.console import Console

from api.chain_bench import ChainFigures, measure
from datasets.match_score import true_plays

SIZES = {"720p": (1280, 720), "1080p": (1920, 1080), "1440p": (2560, 1440), "4K": (3840, 2160)}
PILES = (2, 4, 8, 16)
STAGES = ("decode", "watch", "read", "back", "judge")
"""Heads of the columns, in the order of ``ChainFigures.stages``."""
CRF = "18"
"""Quality of the clips that are made, the simulator's own."""


def resized(clip: Path, size_wh: tuple[int, int], seconds: float, made: Path) -> Path:
    """The clip's first seconds in another size, with the same times."""
    with av.open(str(clip)) as source, av.open(str(made), "w") as target:
        stream = source.streams.video[0]
        output = target.add_stream(
            "libx264", rate=stream.average_rate, options={"crf": CRF, "preset": "fast"}
        )
        output.width, output.height = size_wh
        output.pix_fmt = "yuv420p"
        output.time_base = stream.time_base
        output.codec_context.time_base = stream.time_base
        for frame in source.decode(stream):
            if frame.time > seconds:
                break
            scaled = frame.reformat(width=size_wh[0], height=size_wh[1], format="yuv420p")
            scaled.pts, scaled.time_base = frame.pts, frame.time_base
            scaled.pict_type = av.video.frame.PictureType.NONE
            target.mux(output.encode(scaled))
        target.mux(output.encode())
    return made


def scaled_table(text: str, size_wh: tuple[int, int]) -> str:
    """The table file for a picture of another size."""
    width, height = (int(v) for v in re.findall(r"image_size_px = \[(\d+), (\d+)\]", text)[0])

    def scaled(match: re.Match[str]) -> str:
        return f"[{float(match[1]) * size_wh[0] / width:.2f}, {float(match[2]) * size_wh[1] / height:.2f}]"

    lines = []
    for line in text.splitlines():
        if line.startswith("image_size_px"):
            lines.append(f"image_size_px = [{size_wh[0]}, {size_wh[1]}]")
        elif line.startswith("corners_px"):
            lines.append(re.sub(r"\[([\d.-]+), ([\d.-]+)\]", scaled, line))
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def with_piles(text: str, kept: set[str]) -> str:
    """The table file with these piles only."""
    head, *piles = text.split("[[piles]]")
    return head + "".join(
        f"[[piles]]{pile}" for pile in piles if re.findall(r'pile = "([^"]+)"', pile)[0] in kept
    )


def row(name: str, figures: ChainFigures) -> str:
    """One line: fps, times real time, milliseconds a frame by stage."""
    stages = "".join(f"{1000 * stage.wall_s / figures.frames:10.2f}" for stage in figures.stages)
    cpu_ms = 1000 * figures.chain.cpu_s / figures.frames
    return f"{name:>10} {figures.chain.fps:7.0f} {figures.times_real:7.1f} {cpu_ms:8.2f}{stages}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("clip", type=Path)
    parser.add_argument("--seconds", type=float, default=20.0, help="of the clip, for the sizes (20)")
    parser.add_argument("--keep", type=Path, help="folder for the clips that are made")
    options = parser.parse_args()
    text = options.clip.with_suffix(".toml").read_text(encoding="utf-8")
    busy = Counter(str(play.target) for play in true_plays(options.clip.with_suffix(".truth.jsonl")))
    piles = sorted(re.findall(r'^pile = "([^"]+)"', text, re.MULTILINE), key=lambda pile: -busy[pile])
    print(f"{'':>10} {'fps':>7} {'x real':>7} {'cpu ms':>8}" + "".join(f"{stage:>10}" for stage in STAGES))
    with tempfile.TemporaryDirectory() as temporary, Console(stderr=True).status("") as status:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name, size_wh in SIZES.items():
            status.update(f"making the clip in {name}")
            made = resized(options.clip, size_wh, options.seconds, folder / f"{name}.mp4")
            table = made.with_suffix(".toml")
            table.write_text(scaled_table(text, size_wh), encoding="utf-8")
            print(row(name, measure(made, table, status.update)), flush=True)
        for count in (*(n for n in PILES if n < len(piles)), len(piles)):
            table = folder / f"{count}_piles.toml"
            table.write_text(with_piles(text, set(piles[:count])), encoding="utf-8")
            print(row(f"{count} piles", measure(options.clip, table, status.update)), flush=True)


if __name__ == "__main__":
    main()
