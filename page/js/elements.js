// Making elements, whose texts are never read as markup.

/** An element with text or children; `undefined` children are left out. */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

export function button(properties, text, act) {
  const made = make("button", { type: "button", ...properties }, text);
  made.addEventListener("click", act);
  return made;
}

export function tagList(tags) {
  if (!tags?.length) return undefined;
  return make("ul", { className: "tag-list" }, ...tags.map((tag) => make("li", {}, tag)));
}
