"""Reads state.h5, which talus run leaves in its folder (docs/file_formats.md)."""
import dataclasses

import h5py
import numpy

SPHERE, BOX, PLANE, COMPOUND, MESH = range(5)
DYNAMIC = 0


@dataclasses.dataclass
class State:
    """Arrays with an entry per body, and per part of a compound shape."""
    time: float
    motion: numpy.ndarray
    shape: numpy.ndarray  # of kind and size
    scale: numpy.ndarray
    position: numpy.ndarray
    orientation: numpy.ndarray  # w, x, y, z
    velocity: numpy.ndarray
    kind: numpy.ndarray
    size: numpy.ndarray  # radius, half edges or normal
    parts: dict  # by shape: list of (kind, size, position, orientation)


def read_state(path):
    with h5py.File(path, "r") as file:
        bodies, parts = file["bodies"], {}
        for k, shape in enumerate(file["parts/shape"][:]):
            parts.setdefault(int(shape), []).append(
                tuple(file["parts"][name][k] for name in ("kind", "size", "position", "orientation")))
        return State(float(file.attrs["time"]), *(bodies[name][:] for name in (
            "motion", "shape", "scale", "position", "orientation", "velocity")),
            file["shapes/kind"][:], file["shapes/size"][:], parts)


def turn(quaternion, vectors):
    """Vectors of a frame, in the world."""
    w, axis = quaternion[0], numpy.asarray(quaternion[1:])
    cross = 2.0 * numpy.cross(axis, vectors)
    return vectors + w * cross + numpy.cross(axis, cross)


def product(p, q):
    """Of quaternions: the turn q, then p."""
    vector = p[0] * q[1:] + q[0] * p[1:] + numpy.cross(p[1:], q[1:])
    return numpy.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], vector])


def sphere_centres(path):
    """Of all spheres that move by impulses."""
    state = read_state(path)
    return state.position[(state.kind[state.shape] == SPHERE) & (state.motion == DYNAMIC)]


def spheres(path):
    """(radius, x, y, z) of all spheres that move by impulses, m."""
    state = read_state(path)
    moving = numpy.flatnonzero((state.kind[state.shape] == SPHERE) & (state.motion == DYNAMIC))
    radii = state.size[state.shape[moving], 0] * state.scale[moving]
    return [(float(r), *map(float, x)) for r, x in zip(radii, state.position[moving])]
