// What the address keeps of a view: `#layer=users&zoom=12&at=37.5663,126.9779&tags=swift`.

export function read() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const zoom = Number.parseFloat(fields.get("zoom"));
  const [latitude, longitude] = (fields.get("at") ?? "").split(",").map(Number.parseFloat);
  const placed =
    Number.isFinite(zoom) && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  return {
    layer: fields.get("layer") || undefined,
    /** `tiles`, or absent for GetClusters. */
    source: fields.get("source") ?? undefined,
    /** `heat` or `points`, or absent for clusters. */
    display: fields.get("display") ?? undefined,
    lang: fields.get("lang") ?? undefined,
    tags: fields.getAll("tags").filter(Boolean),
    view: placed ? { latitude, longitude, zoom } : undefined,
  };
}

export function write({ layer, tags, source, display, lang, view }) {
  const fields = new URLSearchParams();
  if (layer) fields.set("layer", layer);
  if (view) {
    fields.set("zoom", String(Math.round(view.zoom * 100) / 100));
    // 5 digits are about a metre.
    fields.set("at", `${view.latitude.toFixed(5)},${view.longitude.toFixed(5)}`);
  }
  if (source) fields.set("source", source);
  if (display && display !== "clusters") fields.set("display", display);
  if (lang) fields.set("lang", lang);
  for (const tag of tags) fields.append("tags", tag);
  const hash = `#${fields.toString().replaceAll("%2C", ",")}`;
  if (hash !== location.hash) history.replaceState(null, "", hash);
}
