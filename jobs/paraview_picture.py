#!/usr/bin/env pvpython
"""A picture of the last frame of a run, drawn by ParaView: bodies by their speed, walls, force chains.

usage: pvpython --force-offscreen-rendering jobs/paraview_picture.py DIR PICTURE.png [--contacts]

Also an example of how the files of DIR/paraview are used from Python: glyphs of the size that each body has, contacts as
tubes as wide as their force. With --contacts bodies are left out, so that force chains are seen.
"""
import sys

from paraview import simple  # pylint: disable=import-error

PIXELS = (960, 600)


def frame_of(folder, part):
    """The last frame of a part, or nothing where it has no points."""
    source = simple.OpenDataFile(f"{folder}/paraview/{part}.pvd")
    if source is None:
        return None
    source.UpdatePipeline(max(source.TimestepValues))
    return source if source.GetDataInformation().GetNumberOfPoints() > 0 else None


def colour(view, display, array):
    simple.ColorBy(display, array)
    display.RescaleTransferFunctionToDataRange(True)
    display.SetScalarBarVisibility(view, True)
    bar = simple.GetScalarBar(simple.GetColorTransferFunction(array[1]), view)
    bar.TitleColor = bar.LabelColor = [0.0, 0.0, 0.0]


def show_spheres(view, source):
    glyph = simple.Glyph(Input=source, GlyphType="Sphere")
    glyph.ScaleArray = ["POINTS", "size"]
    glyph.ScaleFactor = 1.0
    glyph.GlyphMode = "All Points"
    glyph.GlyphType.Radius = 0.5
    display = simple.Show(glyph, view)
    colour(view, display, ("POINTS", "velocity", "Magnitude"))


def show_chains(view, source):
    magnitude = simple.Calculator(Input=source, AttributeType="Cell Data", ResultArrayName="force (N)",
                                  Function="mag(normal_force)")
    points = simple.CellDatatoPointData(Input=magnitude)
    points.UpdatePipeline()
    largest = points.PointData["force (N)"].GetRange()[1] or 1.0
    bounds = source.GetDataInformation().GetBounds()
    width = max(bounds[1] - bounds[0], bounds[5] - bounds[4]) / 400.0
    radius = simple.Calculator(Input=points, ResultArrayName="radius", Function=f'"force (N)"*{width / largest}')
    tube = simple.Tube(Input=radius, Scalars=["POINTS", "radius"], VaryRadius="By Absolute Scalar")
    tube.UpdatePipeline()
    display = simple.Show(tube, view)
    colour(view, display, ("POINTS", "force (N)"))


def main():
    folder, picture = sys.argv[1:3]
    view = simple.CreateRenderView()
    view.ViewSize = PIXELS
    view.UseColorPaletteForBackground = 0
    view.Background = [1.0, 1.0, 1.0]
    view.OrientationAxesVisibility = 0
    view.ViewTime = max(simple.OpenDataFile(f"{folder}/paraview/bodies.pvd").TimestepValues)
    bodies, contacts, walls = (frame_of(folder, part) for part in ("bodies", "contacts", "walls"))
    if "--contacts" in sys.argv and contacts:
        show_chains(view, contacts)
    elif bodies:
        show_spheres(view, bodies)
    simple.ResetCamera(view)
    x, y, z = view.CameraFocalPoint
    view.CameraPosition = [x + 0.5, y - 3.0, z + 1.2]
    view.CameraViewUp = [0.0, 0.0, 1.0]
    simple.ResetCamera(view)
    view.CameraParallelProjection = 0
    view.GetActiveCamera().Zoom(1.2)
    if walls:
        simple.Show(walls, view).Opacity = 0.15
    simple.SaveScreenshot(picture, view, ImageResolution=PIXELS)


if __name__ == "__main__":
    main()
