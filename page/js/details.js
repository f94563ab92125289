// What a popup says: one object's details, or the paged list of objects at one position.

import { api } from "./api.js";
import { nameOf } from "./clusters.js";
import { make, tagList } from "./elements.js";
import { age, attributeRows, count, distance, wind } from "./format.js";
import { sentenceOf, t } from "./language.js";
import { nearestCopy } from "./viewport.js";

const L = window.L;
const pageSize = 20;

function describe(object) {
  const rows = [];
  const row = (name, text) => rows.push(make("dt", {}, name), make("dd", {}, text));
  if (object.distanceMeters !== undefined) {
    const bearing = object.bearingDegrees === undefined ? "" : ` ${wind(object.bearingDegrees)}`;
    row(t("attributeDistance"), distance(object.distanceMeters) + bearing);
  }
  for (const [name, text] of attributeRows(object.attributes)) row(name, text);
  if (object.ageSeconds !== undefined) row(t("attributeSeen"), age(object.ageSeconds));
  row(t("attributePosition"), `${object.latitude.toFixed(5)}, ${object.longitude.toFixed(5)}`);
  return [tagList(object.tags), make("dl", {}, ...rows)];
}

export class Details {
  #map;
  #popup;
  #layer;
  #opener;
  /** Of the single object whose popup is open. */
  #objectID;

  constructor(map) {
    this.#map = map;
    map.on("popupclose", () => this.#closed());
    map.getPane("popupPane").addEventListener("keydown", (event) => {
      if (event.key === "Escape") map.closePopup();
    });
  }

  /** `object` may be a cluster of one or a hit; its age is asked for when it is not known. */
  async openObject(layer, object, opener) {
    const body = make("div", {}, ...describe(object));
    this.#open(layer, object, opener, make("h3", {}, nameOf(object)), body);
    this.#objectID = object.id;
    if (object.ageSeconds !== undefined) return;
    const popup = this.#popup;
    let fresh;
    try {
      const { position } = await api.position(layer, object.id);
      fresh = describe({ ...object, ...position });
    } catch (error) {
      fresh = [make("p", { className: "error" }, sentenceOf(error))];
    }
    if (popup !== this.#popup) return;
    body.replaceChildren(...fresh.filter(Boolean));
    this.#fit(popup);
  }

  /** The members of a cluster that no zoom takes apart. */
  async openMembers(layer, cluster, opener) {
    const list = make("ol", { className: "members", tabIndex: 0 });
    list.setAttribute("aria-label", t("members"));
    const more = make("button", { type: "button", hidden: true }, t("more"));
    const message = make("p", { className: "error", hidden: true });
    const title = make("h3", {}, t("membersHere", { n: count(cluster.pointCount) }));
    this.#open(layer, cluster, opener, title, list, message, more);
    const popup = this.#popup;
    let cursor;
    const load = async () => {
      more.disabled = true;
      try {
        const page = await api.leaves(layer, cluster.id, { limit: pageSize, cursor });
        if (popup !== this.#popup) return;
        const first = list.children.length;
        list.append(...page.hits.map((hit) => this.#member(layer, hit)));
        if (cursor !== undefined) list.children[first]?.querySelector("button").focus();
        cursor = page.nextCursor;
        more.hidden = cursor === undefined;
        message.hidden = true;
      } catch (error) {
        message.textContent = sentenceOf(error);
        message.hidden = false;
      }
      more.disabled = false;
      this.#fit(popup);
    };
    more.addEventListener("click", load);
    await load();
  }

  #member(layer, hit) {
    const button = make("button", { type: "button" }, nameOf(hit));
    const item = make("li", {}, button, tagList(hit.tags));
    const open = () => {
      button.setAttribute("aria-expanded", "true");
      item.querySelector(".tag-list")?.remove();
      item.append(make("div", { className: "member" }, ...describe(hit).filter(Boolean)));
    };
    const close = () => {
      button.setAttribute("aria-expanded", "false");
      item.querySelector(".member").remove();
      item.append(...[tagList(hit.tags)].filter(Boolean));
    };
    button.setAttribute("aria-expanded", "false");
    button.addEventListener(
      "click", () => (button.getAttribute("aria-expanded") === "true" ? close() : open()));
    return item;
  }

  #open(layer, place, opener, ...content) {
    const longitude = nearestCopy(place.longitude, this.#map.getCenter().lng);
    const small = this.#map.getSize().x < 480;
    const popup = L.popup({
      minWidth: 190, maxWidth: small ? 240 : 300, maxHeight: small ? 260 : 340, offset: [0, -6],
      autoPanPaddingTopLeft: [16 + this.#covered(), 16], autoPanPaddingBottomRight: [16, 16],
    });
    popup.setLatLng([place.latitude, longitude]).setContent(make("div", {}, ...content));
    popup.openOn(this.#map);
    popup.options.autoPan = false; // Live updates move it; the map stays.
    this.#popup = popup;
    this.#layer = layer;
    this.#opener = opener;
    this.#objectID = undefined;
    const close = popup.getElement().querySelector(".leaflet-popup-close-button");
    close.setAttribute("aria-label", t("close"));
    close.setAttribute("role", "button");
    close.focus({ preventScroll: true });
  }

  /** Content that came later may have made it larger than what opened clear of the panel. */
  #fit(popup) {
    popup.options.autoPan = true;
    popup.update();
    popup.options.autoPan = false;
  }

  /** How much of the map's left side lies under the panel, in pixels. Beside a phone's sheet the
   * map is cut short instead. */
  #covered() {
    const panel = document.getElementById("panel").getBoundingClientRect();
    const map = this.#map.getContainer().getBoundingClientRect();
    return panel.bottom > map.bottom || panel.right >= map.right ? 0 : panel.right - map.left;
  }

  /** Lets the popup of a moving object go with it. */
  follow(clusters) {
    if (this.#objectID === undefined) return;
    const moved = clusters.find(({ id, pointCount }) => pointCount === 1 && id === this.#objectID);
    if (!moved) return;
    const longitude = nearestCopy(moved.longitude, this.#map.getCenter().lng);
    this.#popup.setLatLng([moved.latitude, longitude]);
  }

  #closed() {
    const opener = this.#opener;
    const inside = this.#popup?.getElement()?.contains(document.activeElement);
    this.#popup = undefined;
    this.#objectID = undefined;
    if (!inside) return;
    if (opener?.isConnected) opener.focus({ preventScroll: true });
    else this.#map.getContainer().focus({ preventScroll: true });
  }
}
