"""What a heap of equal spheres in an open box looks like: measured alike for every code, from positions alone."""
import numpy
from scipy.spatial import cKDTree

TOUCH = 1e-4  # of the diameter: spheres that are nearer than this touch
FROM_WALL = 3.0  # diameters: what is farther from every wall and from the surface is the bulk
SAMPLES = 4096  # points in a sphere, for those that the border of the bulk cuts


def points_in_sphere(count):
    """In the unit ball, evenly, always the same."""
    random = numpy.random.default_rng(1)
    points = random.uniform(-1.0, 1.0, (3 * count, 3))
    return points[(points**2).sum(1) <= 1.0][:count]


def solid_fraction(centres, diameter, low, high):
    """Share of the box [low, high] that spheres fill."""
    if (high <= low).any():
        return None
    radius = 0.5 * diameter
    near = centres[((centres > low - radius) & (centres < high + radius)).all(1)]
    whole = ((near >= low + radius) & (near <= high - radius)).all(1)
    unit = radius * points_in_sphere(SAMPLES)
    cut = sum(((centre + unit >= low) & (centre + unit <= high)).all(1).mean() for centre in near[~whole])
    return float((whole.sum() + cut) * numpy.pi / 6.0 * diameter**3 / (high - low).prod())


def describe(centres, diameter, width):
    """Height, contacts between spheres, overlaps, and what the inside is like."""
    near = cKDTree(centres).query_pairs((1.0 + TOUCH) * diameter, output_type="ndarray")
    gaps = numpy.linalg.norm(centres[near[:, 0]] - centres[near[:, 1]], axis=1) - diameter
    partners = numpy.bincount(near.ravel(), minlength=len(centres))
    top = float(numpy.quantile(centres[:, 2], 0.99)) + 0.5 * diameter
    border = FROM_WALL * diameter
    low, high = numpy.full(3, border), numpy.array([width - border, width - border, top - border])
    bulk = ((centres >= low) & (centres <= high)).all(1)
    overlaps = numpy.maximum(-gaps, 0.0) / diameter
    return {
        "z_cm": float(centres[:, 2].mean()),
        "top": top,
        "contacts": len(near),
        "contacts_per_particle": float(partners.mean()),
        "contacts_per_particle_of_bulk": float(partners[bulk].mean()) if bulk.any() else None,
        "solid_fraction_of_bulk": solid_fraction(centres, diameter, low, high),
        "mean_overlap": float(overlaps.mean()) if len(overlaps) else 0.0,
        "largest_overlap": float(overlaps.max()) if len(overlaps) else 0.0,
    }
