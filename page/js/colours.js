// The page's colours for what is drawn on canvas: the style sheet has them, so that light and dark
// follow it.

const names = [
  "tier-0", "tier-1", "tier-2", "tier-3", "tier-4", "single", "stack", "core", "number", "light",
  "trail", "pulse", "heat-0", "heat-1", "heat-2", "heat-3", "heat-4", "heat-5",
];

const scratch = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

/** Any colour of CSS as `[red, green, blue]` of 0...1. */
function channels(colour) {
  scratch.fillStyle = "#000";
  scratch.fillStyle = colour;
  scratch.clearRect(0, 0, 1, 1);
  scratch.fillRect(0, 0, 1, 1);
  const [red, green, blue] = scratch.getImageData(0, 0, 1, 1).data;
  return [red / 255, green / 255, blue / 255];
}

/** `{name: [red, green, blue]}`, and whether the page `isDark`, where light is added to light. */
export function sceneColours() {
  const style = getComputedStyle(document.documentElement);
  const found = Object.fromEntries(
    names.map((name) => [name, channels(style.getPropertyValue(`--${name}`).trim())]));
  return { ...found, isDark: style.getPropertyValue("--is-dark").trim() === "1" };
}

/** Calls `changed` when the system turns dark, light, or to colours of its own. */
export function onColoursChanged(changed) {
  for (const query of ["(prefers-color-scheme: light)", "(forced-colors: active)"]) {
    matchMedia(query).addEventListener("change", changed);
  }
}
