"""Clusters of a viewport, and tiles. Run: python clusters.py http://127.0.0.1:8080"""

import sys

from moyeo import Moyeo

with Moyeo(sys.argv[1]) as moyeo:
    version = moyeo.positions.report(layer="bikes", positions=[
        {"id": f"bike-{i}", "latitude": 37.55 + i / 100_000, "longitude": 127.0, "ttl_seconds": 600}
        for i in range(50)]).version

    answer = moyeo.clusters.get_clusters(
        layer="bikes", west=126.9, south=37.5, east=127.1, north=37.6, zoom=10, min_version=version)
    for cluster in answer.clusters:
        print(f"{cluster.point_count} bikes, apart further in: {cluster.expansion_zoom > 10}")
        leaves = moyeo.clusters.get_leaves(layer="bikes", cluster_id=cluster.id, limit=3)
        print(f"{len(leaves.hits)} of them were asked for")

    tile = moyeo.clusters.get_tile(layer="bikes", zoom=0, x=0, y=0)
    print(f"a tile of {tile.content_type}")
    again = moyeo.clusters.get_tile(layer="bikes", zoom=0, x=0, y=0, if_none_match=tile.etag)
    print(f"unchanged: {again.not_modified}")

    with moyeo.clusters.watch_tiles(
            layer="bikes", west=126.9, south=37.5, east=127.1, north=37.6, zoom=12) as events:
        print(f"first comes a {next(events).kind}")

# It prints:
#   50 bikes, apart further in: True
#   3 of them were asked for
#   a tile of application/vnd.mapbox-vector-tile
#   unchanged: True
#   first comes a reset
