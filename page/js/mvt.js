// Reads Mapbox Vector Tiles 2.1: protobuf and geometry commands to plain layers.
// https://github.com/mapbox/vector-tile-spec/tree/master/2.1

const text = new TextDecoder();

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }

  /** Up to 53 bits; the higher ones of a longer number are lost in rounding. */
  varint() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      if (this.at >= this.bytes.length) throw new RangeError("the tile ends inside a number");
      const byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  block() {
    const length = this.varint();
    const start = this.at;
    this.at += length;
    if (this.at > this.bytes.length) throw new RangeError("the tile ends inside a field");
    return this.bytes.subarray(start, this.at);
  }

  skip(wire) {
    if (wire === 0) this.varint();
    else if (wire === 1) this.at += 8;
    else if (wire === 2) this.block();
    else if (wire === 5) this.at += 4;
    else throw new RangeError(`the tile has a field of unknown wire type ${wire}`);
  }
}

/** Calls `take(field, reader)` for each field; it answers false for one to skip. */
function each(bytes, take) {
  const reader = new Reader(bytes);
  while (reader.at < bytes.length) {
    const key = reader.varint();
    const known = take(key >>> 3, reader);
    if (known === false) reader.skip(key & 7);
  }
}

const zigzag = (n) => (n % 2 === 0 ? n / 2 : -(n + 1) / 2);

function packed(bytes) {
  const reader = new Reader(bytes);
  const numbers = [];
  while (reader.at < bytes.length) numbers.push(reader.varint());
  return numbers;
}

function readValue(bytes) {
  let value;
  each(bytes, (field, reader) => {
    if (field === 1) value = text.decode(reader.block());
    else if (field === 2) { value = reader.view.getFloat32(reader.at, true); reader.at += 4; }
    else if (field === 3) { value = reader.view.getFloat64(reader.at, true); reader.at += 8; }
    else if (field === 4 || field === 5) value = reader.varint();
    else if (field === 6) value = zigzag(reader.varint());
    else if (field === 7) value = reader.varint() === 1;
    else return false;
  });
  return value;
}

/** Paths of `[x, y]` in tile units; a ring does not repeat its first point. */
function readGeometry(commands) {
  const paths = [];
  let [x, y, i] = [0, 0, 0];
  while (i < commands.length) {
    const [command, times] = [commands[i] & 7, commands[i++] >>> 3];
    if (command === 7) continue; // ClosePath: the drawing closes rings.
    for (let n = 0; n < times && i + 1 < commands.length; n++) {
      x += zigzag(commands[i++]);
      y += zigzag(commands[i++]);
      if (command === 1) paths.push([[x, y]]);
      else paths.at(-1)?.push([x, y]);
    }
  }
  return paths;
}

function readFeature(bytes, keys, values) {
  const feature = { type: 0, properties: {}, paths: [] };
  let tags = [];
  each(bytes, (field, reader) => {
    if (field === 1) feature.id = reader.varint();
    else if (field === 2) tags = packed(reader.block());
    else if (field === 3) feature.type = reader.varint();
    else if (field === 4) feature.paths = readGeometry(packed(reader.block()));
    else return false;
  });
  for (let i = 0; i + 1 < tags.length; i += 2) {
    feature.properties[keys[tags[i]]] = values[tags[i + 1]];
  }
  return feature;
}

function readLayer(bytes) {
  const layer = { name: "", extent: 4096, features: [] };
  const [keys, values, raw] = [[], [], []];
  each(bytes, (field, reader) => {
    if (field === 1) layer.name = text.decode(reader.block());
    else if (field === 2) raw.push(reader.block());
    else if (field === 3) keys.push(text.decode(reader.block()));
    else if (field === 4) values.push(readValue(reader.block()));
    else if (field === 5) layer.extent = reader.varint();
    else return false;
  });
  layer.features = raw.map((feature) => readFeature(feature, keys, values));
  return layer;
}

/** `[{name, extent, features: [{id, type (1 point, 2 line, 3 polygon), properties, paths}]}]` */
export function readTile(bytes) {
  const layers = [];
  each(bytes, (field, reader) => {
    if (field !== 3) return false;
    layers.push(readLayer(reader.block()));
  });
  return layers;
}
