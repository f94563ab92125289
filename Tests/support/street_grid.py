"""A grid of streets as a road network that a daemon can route over and draw, made with Debian's gdal-bin."""

import json
import pathlib
import subprocess

from running_daemon import run

SIZE = 8
ROW_DEGREES, COLUMN_DEGREES = 0.002, 0.0025
# The south-west corner, in the middle of Seoul.
SOUTH, WEST = 37.5600, 126.9700


def place(row, column):
    """[longitude, latitude] of a crossing."""
    return [WEST + column * COLUMN_DEGREES, SOUTH + row * ROW_DEGREES]


def prepared(folder):
    """The path of a network in a folder: rows are fast avenues, columns slow streets."""
    def feature(name, line, seconds):
        return {"type": "Feature", "geometry": {"type": "LineString", "coordinates": line},
                "properties": {"name": name, "oneway_fromto": 1, "oneway_tofrom": 1, "cost": seconds}}

    features = [
        # About 1.5 km in 60 s, and in 180 s.
        *(feature(f"Avenue {row}", [place(row, i) for i in range(SIZE)], 60.0) for row in range(SIZE)),
        *(feature(f"Street {column}", [place(i, column) for i in range(SIZE)], 180.0)
          for column in range(SIZE))]
    source, made = pathlib.Path(folder, "roads.geojson"), pathlib.Path(folder, "roads.sqlite")
    source.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    subprocess.run(
        ["ogr2ogr", "-f", "SQLite", "-dsco", "SPATIALITE=YES", str(made), str(source), "-nln", "roads",
         "-nlt", "LINESTRING", "-lco", "GEOMETRY_NAME=geometry", "-a_srs", "EPSG:4326"],
        check=True, capture_output=True, timeout=60)
    code, said, error = run("prepare-roads", str(made), name="moyeo")
    assert code == 0, error
    return made
