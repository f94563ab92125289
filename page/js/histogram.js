// How an attribute's values are spread: a bar for each word, or for each of a few ranges of numbers.

const mostBars = 10;

/** Attributes worth a histogram: words and numbers that several objects have. */
export function attributesOf(objects) {
  const seen = new Map();
  for (const { attributes = {} } of objects) {
    for (const [name, v] of Object.entries(attributes)) {
      if (typeof v !== "number" && typeof v !== "string" && typeof v !== "boolean") continue;
      if (!seen.has(name)) seen.set(name, new Map());
      const values = seen.get(name);
      values.set(v, (values.get(v) ?? 0) + 1);
    }
  }
  const isTold = ([, values]) => {
    const numbers = [...values.keys()].filter((v) => typeof v === "number").length;
    // Names and addresses have as many values as objects.
    return values.size > 1 && (numbers === values.size || values.size <= mostBars);
  };
  return [...seen].filter(isTold).map(([name]) => name).sort();
}

/** `[{count, equals}]` or `[{count, min, max}]`, numbers ascending and words by how many. */
export function bars(objects, name) {
  const values = objects.map(({ attributes }) => attributes?.[name]).filter((v) => v !== undefined);
  const counts = new Map();
  for (const v of values) counts.set(v, (counts.get(v) ?? 0) + 1);
  const numbers = values.filter((v) => typeof v === "number");
  if (numbers.length < values.length) {
    return [...counts].map(([equals, count]) => ({ equals, count }))
      .sort((a, b) => b.count - a.count).slice(0, mostBars);
  }
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const isWhole = numbers.every(Number.isInteger);
  if (isWhole && most - least < mostBars) {
    return Array.from({ length: most - least + 1 }, (_, i) => ({
      min: least + i, max: least + i, count: counts.get(least + i) ?? 0,
    }));
  }
  const width = (most - least) / mostBars || 1;
  const found = Array.from({ length: mostBars }, (_, i) => ({
    min: round(least + i * width), max: round(least + (i + 1) * width), count: 0,
  }));
  for (const v of numbers) {
    found[Math.min(mostBars - 1, Math.floor((v - least) / width))].count += 1;
  }
  return found;
}

const round = (v) => Number(v.toPrecision(6));
