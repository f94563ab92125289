// Numbers as pictures: the few signs that counts are written with, in four sizes, drawn once each.

const signs = "0123456789.kMG만억+";
const fonts = 'system-ui, "Noto Sans KR", "Apple SD Gothic Neo", "Malgun Gothic", sans-serif';
/** By rows: ones, tens, hundreds, and above. */
export const glyphPixels = [11.5, 12, 12.5, 13.5];
const cellPixels = 24;

export class Glyphs {
  #advances = [];
  canvas = document.createElement("canvas");
  cell = cellPixels;

  constructor(density) {
    this.density = density;
    const context = this.canvas.getContext("2d");
    this.canvas.width = cellPixels * signs.length * density;
    this.canvas.height = cellPixels * glyphPixels.length * density;
    context.scale(density, density);
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = "#fff";
    glyphPixels.forEach((pixels, row) => {
      context.font = Glyphs.font(row);
      this.#advances.push([...signs].map((sign) => context.measureText(sign).width - 0.2));
      [...signs].forEach((sign, column) => context.fillText(
        sign, (column + 0.5) * cellPixels, (row + 0.5) * cellPixels + 0.5));
    });
  }

  static font(row) {
    return `650 ${glyphPixels[row]}px ${fonts}`;
  }

  width(text, row) {
    let sum = 0;
    for (const sign of text) sum += this.#advances[row][signs.indexOf(sign)] ?? 8;
    return sum;
  }

  /** Calls `put(column, offset)` for each sign, its middle counted from the middle of the text. */
  each(text, row, put) {
    let at = -this.width(text, row) / 2;
    for (const sign of text) {
      const column = signs.indexOf(sign);
      const advance = this.#advances[row][column] ?? 8;
      if (column >= 0) put(column, at + advance / 2);
      at += advance;
    }
  }

  static get size() {
    return [signs.length, glyphPixels.length];
  }
}
