"""Numbers out of curves, and how far they are from those of a reference."""
import numpy

import published


def rebound(curve):
    """Lowest point of the ball, when it is there, and its largest speed upwards after that, mean over a millisecond."""
    time, height = curve["time"], curve["height"]
    lowest = int(numpy.argmin(height))
    fine = numpy.arange(time[lowest], time[-1], 1e-3)
    speeds = numpy.diff(numpy.interp(fine, time, height)) / 1e-3
    return {"lowest": height[lowest], "when": time[lowest], "speed": max(speeds.max(initial=0.0), 0.0),
            "end": height[-1], "until": time[-1]}


def until(curve, end):
    """As long as both curves go."""
    within = curve["time"] <= end + 1e-6
    return {key: value[within] for key, value in curve.items()}


def rows_of_impact(curve, other, bed_height):
    """Rows (quantity, other, curve, difference, share that is allowed or None). Where there is no other: no difference."""
    theirs = None
    if other is not None:
        end = min(curve["time"][-1], other["time"][-1])
        curve, theirs = until(curve, end), rebound(until(other, end))
    ours, rows = rebound(curve), []
    for key, word, scale, allowed in (("lowest", "lowest point, m", bed_height, published.LOWEST_WITHIN),
                                      ("when", "time of it, s", None, None),
                                      ("speed", "speed of rebound, m/s", None, published.REBOUND_WITHIN),
                                      ("end", f"height at {ours['until']:g} s, m", bed_height, None)):
        there = None if theirs is None else theirs[key]
        rows.append((word, there, ours[key], share(ours[key], there, scale), allowed))
    return rows


def share(value, other, scale=None):
    """The difference as a share of the scale, else of the other; None where there is nothing to compare with."""
    if other is None:
        return None
    scale = abs(other) if scale is None else scale
    return None if scale == 0.0 else (value - other) / scale


def rows_of_drum(curve, other, least):
    """Of each count that where it is farthest from the other (where that is above least), and the mean distance."""
    rows = []
    for count in published.COUNTS:
        word = count.replace("_", " ")
        if other is None:
            rows.append((f"{word} at {curve['time'][-1]:g} s", None, curve[count][-1], None, None))
            continue
        within = (other["time"] > 0.0) & (other["time"] <= curve["time"][-1] + 1e-3)
        time, there = other["time"][within], other[count][within]
        here = numpy.interp(time, curve["time"], curve[count])
        large = there > least
        if not large.any():
            rows.append((f"{word}: never above {least:g}", None, None, None, None))
            continue
        shares = (here[large] - there[large]) / there[large]
        worst = int(numpy.argmax(numpy.abs(shares)))
        good = int((numpy.abs(shares) <= published.COUNT_WITHIN).sum())
        rows.append((f"{word}, worst at {time[large][worst]:.3g} s", there[large][worst], here[large][worst],
                     shares[worst], published.COUNT_WITHIN))
        rows.append((f"{word}, {good} of {len(shares)} times within {100 * published.COUNT_WITHIN:g} %: mean distance",
                     None, None, float(numpy.abs(shares).mean()), None))
    return rows
