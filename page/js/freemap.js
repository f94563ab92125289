// The part of the map that nothing lies over, so that what is to be seen comes to stand there.

/** Pixels of the map at each side that the panel, the figures and the controls lie over. */
export function coveredEdges(map) {
  const box = map.getContainer().getBoundingClientRect();
  const edges = { left: 0, right: 0, top: 0, bottom: 0 };
  const panel = document.getElementById("panel").getBoundingClientRect();
  // A phone's sheet cuts the map short instead of lying over it.
  const isSheet = panel.width >= box.width - 2;
  if (!isSheet) edges.left = Math.max(0, panel.right - box.left);
  const figures = document.getElementById("figures");
  // Open they grow as their numbers come.
  if (!figures.classList.contains("closed") && box.width > 900) {
    edges.right = Math.max(0, box.right - figures.getBoundingClientRect().left);
  }
  const bar = document.getElementById("pick-bar").getBoundingClientRect();
  if (bar.height > 0) edges.top = bar.bottom - box.top;
  return edges;
}

/**
 * Moves the map so that all of these places stand in the free part of it.
 * @param labels how far words reach beside places, in pixels.
 */
export function fitToFree(map, places, { maxZoom = 16, labels = 0 } = {}) {
  const { left, right, top, bottom } = coveredEdges(map);
  map.fitBounds(places, {
    paddingTopLeft: [left + 30 + labels, top + 40],
    paddingBottomRight: [right + 40 + labels, bottom + 60], maxZoom,
  });
}
