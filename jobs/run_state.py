"""Reads state.h5, which talus run leaves in its folder."""
import collections

import h5py
import numpy

Spheres = collections.namedtuple("Spheres", "time centre diameter velocity")


def read_spheres(path):
    raise NotImplementedError
