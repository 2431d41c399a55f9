"""The same two cases for LIGGGHTS-PUBLIC 3.8: soft spheres of Hertz, friction that remembers. The text of its deck, and
what is read from what it prints."""
import math

import numpy

import published

RAYLEIGH_SHARE = 0.185  # as jobs/compare: what users of soft spheres take
HEAD = """units         si
atom_style    granular
atom_modify   map array
newton        off
boundary      f f f
communicate   single vel yes
hard_particles yes
"""


def step_of(modulus):
    """The largest of 1, 2, 2.5, 5 times a power of ten within the allowed part of the Rayleigh time of a small grain."""
    shear = modulus / (2.0 * (1.0 + published.POISSON))
    rayleigh = math.pi * published.SMALL * math.sqrt(published.DENSITY["small"] / shear)
    limit = RAYLEIGH_SHARE * rayleigh / (0.1631 * published.POISSON + 0.8766)
    power = 10.0 ** math.floor(math.log10(limit))
    return max(digit * power for digit in (1.0, 2.0, 2.5, 5.0) if digit * power <= limit * (1.0 + 1e-12))


def laws(types, modulus):
    """Properties of materials, in the order of their types; the modulus is that of the small grains."""
    scale = modulus / published.MODULUS["small"]
    moduli = [published.MODULUS[name] * (1.0 if name == "steel" else scale) for name in types]
    matrix = [[published.pair(a, b) for b in types] for a in types]
    friction = " ".join(f"{entry[0]:g}" for row in matrix for entry in row)
    bounce = " ".join(f"{entry[1]:g}" for row in matrix for entry in row)
    return [f"fix young all property/global youngsModulus peratomtype {' '.join(format(m, 'g') for m in moduli)}",
            f"fix poisson all property/global poissonsRatio peratomtype {' '.join(len(types) * [str(published.POISSON)])}",
            f"fix bounce all property/global coefficientRestitution peratomtypepair {len(types)} {bounce}",
            f"fix friction all property/global coefficientFriction peratomtypepair {len(types)} {friction}",
            "pair_style gran model hertz tangential history", "pair_coeff * *"]


def data_of(spheres, types, box):
    """A data file of (material, radius, x, y, z) in a box of (low, high) by axis."""
    lines = ["spheres at rest", "", f"{len(spheres)} atoms", f"{len(types)} atom types", ""]
    lines += [f"{low:.9g} {high:.9g} {axis}lo {axis}hi" for axis, (low, high) in zip("xyz", box)]
    lines += ["", "Atoms", ""]
    lines += [f"{i} {types.index(name) + 1} {2 * r!r} {published.DENSITY[name]:g} {x!r} {y!r} {z!r}"
              for i, (name, r, x, y, z) in enumerate(spheres, start=1)]
    return "\n".join(lines) + "\n"


def run_of(step, end, every, columns):
    steps = round(end / step)
    return ["fix weight all gravity 9.8 vector 0.0 0.0 -1.0", "fix motion all nve/sphere", f"timestep {step:g}",
            f"thermo_style custom step time cpu {columns}", "thermo_modify lost warn norm no",
            f"thermo {max(1, round(every / step))}", f"run {steps}", ""]


def impact(spheres, size, end, modulus):
    """(data file, deck) of the ball that falls on grains."""
    types = ["grain", "steel"]
    half, depth = published.BOX[0] * size, published.BOX[1] * size
    spheres = [("grain", *sphere) for sphere in spheres]
    spheres.append(("steel", published.BALL * size, 0.0, 0.0, published.DROP * size))
    reach = (0.2 + published.DROP) * size
    data = data_of(spheres, types, [(-1.1 * half, 1.1 * half), (-1.1 * depth, 1.1 * depth), (published.BOTTOM - 0.005, reach)])
    wall = "wall/gran model hertz tangential history primitive type 2"
    planes = [("left", "xplane", -half), ("right", "xplane", half), ("front", "yplane", -depth), ("back", "yplane", depth),
              ("floor", "zplane", published.BOTTOM)]
    lines = ["read_data start.data", "neighbor 0.0004 bin", "neigh_modify delay 0", *laws(types, modulus)]
    lines += [f"fix {name} all {wall} {kind} {place:.9g}" for name, kind, place in planes]
    lines += ["group ball type 2", f"velocity ball set 0.0 0.0 {-published.SPEED:g}", "compute place ball com"]
    return data, HEAD + "\n".join(lines + run_of(step_of(modulus), end, 5e-4, "ke c_place[3]"))


def drum(spheres, size, end, modulus):
    """(data file, deck) of the drum that turns; drum.stl is beside it."""
    types = ["small", "large", "steel"]
    spheres = [("small" if math.isclose(s[0], published.SMALL) else "large", *s) for s in spheres]
    outside, side = published.DRUM * size + 0.004, 0.5 * published.WIDTH * size + 0.004
    data = data_of(spheres, types, [(-outside, outside), (-side, side), (-outside, outside)])
    zones = {"lower": "x < 0 && z < 0", "upper": "x > 0 && z > 0"}
    lines = ["read_data start.data", "neighbor 0.0004 bin", "neigh_modify delay 0", *laws(types, modulus),
             "fix shell all mesh/surface file drum.stl type 3",
             "fix wall all wall/gran model hertz tangential history mesh n_meshes 1 meshes shell",
             "fix turn all move/mesh mesh shell rotate origin 0 0 0 axis 0 1 0 period "
             f"{2.0 * math.pi / published.RATE:.12g}",
             "group small type 1", "group large type 2"]
    lines += [f'variable {zone} atom "{where}"' for zone, where in zones.items()]
    lines += [f"compute {count} {count.split('_')[0]} reduce sum v_{count.split('_')[1]}" for count in published.COUNTS]
    columns = "ke " + " ".join(f"c_{count}" for count in published.COUNTS)
    return data, HEAD + "\n".join(lines + run_of(step_of(modulus), end, 0.1, columns))


def curve_of(case, text):
    """What it printed: lines of numbers under a header that begins with Step."""
    rows, inside = [], False
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["Step"]:
            inside = True
        elif inside and words and words[0].isdigit():
            rows.append([float(word) for word in words])
        elif inside and words[:1] == ["Loop"]:
            break
    table = numpy.array(rows).T
    names = ("height",) if case == "impact" else published.COUNTS
    return {"time": table[1]} | dict(zip(names, table[4:]))
