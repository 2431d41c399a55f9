"""The two published cases: what they are made of, where their files are, and what is read from them.

Dosta et al. 2024, Comput. Phys. Commun. 296:109066. The scenes (impact.yaml, drum.yaml) have the same numbers; a test
compares them.
"""
import os
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
GRAVITY = 9.8  # m/s2, down
POISSON = 0.2  # of all materials
DENSITY = {"grain": 2500.0, "small": 2500.0, "large": 2000.0, "steel": 7200.0}  # kg/m3
MODULUS = {"grain": 1e9, "small": 1e9, "large": 0.5e9, "steel": 210e9}  # Pa; small is the same material as grain
PAIRS = {  # friction, restitution
    ("grain", "grain"): (0.3, 0.5), ("grain", "steel"): (0.2, 0.4), ("steel", "steel"): (0.5, 0.6),
    ("small", "small"): (0.3, 0.5), ("small", "large"): (0.2, 0.45), ("large", "large"): (0.4, 0.4),
    ("small", "steel"): (0.2, 0.4), ("large", "steel"): (0.2, 0.4)}
SMALL, LARGE = 0.001, 0.002  # m, radii; grains of the impact are small
BOX = (0.05, 0.03)  # m, half of the box of the impact
BOTTOM = -0.0902431  # m, its floor
BALL, DROP, SPEED = 0.01, 0.06, 5.0  # m, m, m/s: radius of the ball, where it starts, how fast it falls
DRUM, WIDTH, WALL, RATE = 0.1, 0.06, 0.002, -2.0  # m, m, m, rad/s about y
SIDES = 100
END = {"impact": 0.1, "drum": 5.0}  # s
# s, of talus where none is asked for. Elastic contacts want steps in which the ball, on a grain on the floor, turns little;
# in rigid ones longer than these the ball locks the bed.
STEP = {"impact": 1e-5, "impact_rigid": 1e-4, "drum": 5e-4}
TOLERANCE = {"impact": 1e-3, "drum": 2.5e-4}  # m/s, likewise
GRAINS = {"grain": 25000, "small": 30000, "large": 8000}
COUNTS = ("large_lower", "large_upper", "small_lower", "small_upper")  # x < 0 and z < 0; x > 0 and z > 0
FILES = {"impact": ("impact_25k_particles.txt", "impact_25k_liggghts_E1e9.csv"),
         "drum": ("drum_particles.txt", "drum_liggghts_E2e7.csv")}
COUNTED = 1000  # a smaller count says little in per cent
# what is asked of talus: shares
LOWEST_WITHIN, REBOUND_WITHIN, COUNT_WITHIN, STEPS_WITHIN = 0.03, 0.15, 0.05, 0.03


def pair(a, b):
    return PAIRS.get((a, b)) or PAIRS[(b, a)]


def folder():
    """Of the published files: $TALUS_VALIDATION, else beside the project."""
    given = os.environ.get("TALUS_VALIDATION")
    root = pathlib.Path(given) if given else HERE.parents[1].parent / "shared" / "validation"
    return root / "dosta2024"


def file_of(case, which):
    """The start state (0) or the reference (1) of a case, or None where it is not there."""
    path = folder() / FILES[case][which]
    return path if path.is_file() else None


def table_of(path):
    """Columns of a csv file with a header, by name."""
    import numpy

    rows = path.read_text().splitlines()
    values = numpy.array([[float(word) for word in row.split(",")] for row in rows[1:] if row.strip()])
    return dict(zip(rows[0].split(","), values.T))


def reference_of(case):
    """What LIGGGHTS made of the published start: time and height of the ball, or time and four counts."""
    path = file_of(case, 1)
    if path is None:
        return None
    table = table_of(path)
    if case == "impact":
        return {"time": table["t_s"], "height": table["ball_z_m"]}
    names = {"large_lower": "m2_zone2", "large_upper": "m2_zone1", "small_lower": "m1_zone2", "small_upper": "m1_zone1"}
    return {"time": table["t_s"]} | {count: table[name] for count, name in names.items()}
