"""Reads VTK's XML files with appended raw data, by the format's description alone: Python's XML parser and struct."""
import pathlib
import re
import struct
import xml.etree.ElementTree as xml

FORMATS = {"Float64": "d", "Int64": "q", "Int32": "i", "UInt8": "B"}


class VtkError(Exception):
    pass


def require(good, message):
    if not good:
        raise VtkError(message)


def split(content):
    """The XML without the data, and the data behind the underscore."""
    found = re.search(rb'<AppendedData encoding="raw">\s*_', content)
    require(found, "no appended raw data")
    tail = b"\n</AppendedData>\n</VTKFile>\n"
    require(content.endswith(tail), "the file does not end as it should")
    return content[:found.start()] + b"</VTKFile>", content[found.end():len(content) - len(tail)]


class Arrays:
    """All arrays of a file; knows whether their blocks fill the data without gaps."""

    def __init__(self, root, data):
        self.data, self.blocks = data, []
        self.root = root

    def read(self, element, tuples=None):
        offset = int(element.get("offset"))
        (size,) = struct.unpack_from("<Q", self.data, offset)
        letter = FORMATS[element.get("type")]
        count, rest = divmod(size, struct.calcsize(letter))
        require(rest == 0, f"{element.get('Name')}: {size} bytes are no whole number of values")
        self.blocks.append((offset, offset + 8 + size))
        values = struct.unpack_from(f"<{count}{letter}", self.data, offset + 8)
        wide = int(element.get("NumberOfComponents", "1"))
        if tuples is not None:
            require(count == tuples * wide, f"{element.get('Name')}: {count} values for {tuples} x {wide}")
        return values if wide == 1 else [values[i:i + wide] for i in range(0, count, wide)]

    def check_blocks(self):
        end = 0
        for begin, after in sorted(self.blocks):
            require(begin == end, f"bytes {end} to {begin} of the data belong to nothing")
            end = after
        require(end == len(self.data), f"{len(self.data) - end} bytes too many")


def read_cells(arrays, piece, tag, count, points):
    element = piece.find(tag)
    connectivity, offsets = (arrays.read(array) for array in element.findall("DataArray"))
    require(len(offsets) == count, f"{tag}: {len(offsets)} offsets for {count} cells")
    begin, cells = 0, []
    for end in offsets:
        cells.append(connectivity[begin:end])
        begin = end
    require(begin == len(connectivity), f"{tag}: points behind the last cell")
    require(all(0 <= p < points for cell in cells for p in cell), f"{tag}: a point that is not there")
    return cells


def read_vtp(path):
    """time, points, vertices, lines, polygons, point_data, cell_data"""
    text, data = split(pathlib.Path(path).read_bytes())
    root = xml.fromstring(text)
    require(root.attrib == {"type": "PolyData", "version": "1.0", "byte_order": "LittleEndian",
                            "header_type": "UInt64"}, f"{path}: {root.attrib}")
    arrays = Arrays(root, data)
    poly = root.find("PolyData")
    piece = poly.find("Piece")
    points, vertices, lines, strips, polygons = (int(piece.get("NumberOf" + what)) for what in (
        "Points", "Verts", "Lines", "Strips", "Polys"))
    require(strips == 0, "strips")
    read_cells(arrays, piece, "Strips", 0, points)
    cells = vertices + lines + polygons
    result = {
        "time": None if poly.find("FieldData") is None else arrays.read(
            poly.find("FieldData/DataArray[@Name='TimeValue']"), 1)[0],
        "points": arrays.read(piece.find("Points/DataArray"), points),
        "vertices": read_cells(arrays, piece, "Verts", vertices, points),
        "lines": read_cells(arrays, piece, "Lines", lines, points),
        "polygons": read_cells(arrays, piece, "Polys", polygons, points),
        "point_data": {a.get("Name"): arrays.read(a, points) for a in piece.findall("PointData/DataArray")},
        "cell_data": {a.get("Name"): arrays.read(a, cells) for a in piece.findall("CellData/DataArray")},
    }
    arrays.check_blocks()
    return result


def read_pvtp(path):
    """All pieces as one; checks that each has what the list declares."""
    path = pathlib.Path(path)
    root = xml.parse(path).getroot()
    require(root.get("type") == "PPolyData", f"{path}: {root.attrib}")
    poly = root.find("PPolyData")
    pieces = [read_vtp(path.parent / piece.get("Source")) for piece in poly.findall("Piece")]
    require(pieces, f"{path}: no piece")
    for tag, key in (("PPointData", "point_data"), ("PCellData", "cell_data")):
        declared = [a.get("Name") for a in poly.findall(tag + "/PDataArray")]
        for piece in pieces:
            require(list(piece[key]) == declared, f"{path}: {list(piece[key])} is not {declared}")
    whole = pieces[0]
    for piece in pieces[1:]:
        first = len(whole["points"])
        whole["points"] = list(whole["points"]) + list(piece["points"])
        for kind in ("vertices", "lines", "polygons"):
            whole[kind] += [tuple(p + first for p in cell) for cell in piece[kind]]
        for key in ("point_data", "cell_data"):
            for name, values in piece[key].items():
                whole[key][name] = list(whole[key][name]) + list(values)
    return whole


def read_any(path):
    return read_pvtp(path) if str(path).endswith(".pvtp") else read_vtp(path)


def read_pvd(path):
    """[(time, name, file)]"""
    root = xml.parse(path).getroot()
    require(root.get("type") == "Collection", f"{path}: {root.attrib}")
    return [(float(d.get("timestep")), d.get("name"), pathlib.Path(path).parent / d.get("file"))
            for d in root.findall("Collection/DataSet")]
