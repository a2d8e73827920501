/** The font of plots: what the PNGs are drawn with, then what a viewer of the SVG may have. */
const fontFamily = "Public Sans, Inter, Helvetica Neue, Arial, sans-serif";

/** The colour of what is read only when looked for. */
export const quiet = "#737373";

/** One element; `undefined` attributes are left out. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  ...children: readonly string[]
): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === "number" ? short(value) : escape(value!)}"`)
    .join("");
  return children.length === 0
    ? `<${name}${written}/>`
    : `<${name}${written}>${children.join("")}</${name}>`;
}

/** A line of text at a place. */
export function label(
  text: string,
  [x, y]: readonly [number, number],
  attributes: Readonly<Record<string, string | number | undefined>> = {},
): string {
  return element("text", { x, y, ...attributes }, escape(text));
}

/** A picture that stands by itself. */
export function picture(width: number, height: number, content: string): string {
  return element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      "font-family": fontFamily,
      "font-size": 11,
      fill: "#333333",
    },
    element("rect", { width, height, fill: "#ffffff" }),
    content,
  );
}

/** Makes text safe for XML, which knows no control characters. */
function escape(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\P{Cc}\t\n]|[\uFFFE\uFFFF]/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** About how wide a text is in the font of plots. */
export function textWidth(text: string, size: number): number {
  const narrow = text.match(/[ijltfrI.,:;'|!()[\]\s]/g)?.length ?? 0;
  const wide = text.match(/[mwA-HJ-Z@%\u2E80-\uFFFF]/g)?.length ?? 0;
  return size * (0.57 * text.length - 0.26 * narrow + 0.2 * wide);
}

/** Cuts a text that would be wider than `width`. */
export function cut(text: string, size: number, width: number): string {
  if (textWidth(text, size) <= width) return text;
  const near = new Intl.Segmenter().segment(text.slice(0, 300));
  const signs = Array.from(near, ({ segment }) => segment);
  while (signs.length > 1 && textWidth(`${signs.join("")}…`, size) > width) signs.pop();
  return `${signs.join("").trimEnd()}…`;
}

function short(value: number): string {
  return String(Number(value.toFixed(2)));
}
