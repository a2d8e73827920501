/** The font of the PNGs, then fallbacks for viewers of the SVG. */
const fontFamily = "Public Sans, Inter, Helvetica Neue, Arial, sans-serif";

/** The colour of secondary text. */
export const mutedColor = "#737373";

/** An element. Omits attributes that are `undefined`. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  ...children: readonly string[]
): string {
  const attributeText = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) =>
        ` ${key}="${typeof value === "number" ? formatCoordinate(value) : escape(value!)}"`,
    )
    .join("");
  return children.length === 0
    ? `<${name}${attributeText}/>`
    : `<${name}${attributeText}>${children.join("")}</${name}>`;
}

/** A line of text. */
export function label(
  text: string,
  [x, y]: readonly [number, number],
  attributes: Readonly<Record<string, string | number | undefined>> = {},
): string {
  return element("text", { x, y, ...attributes }, escape(text));
}

/** A complete SVG document. */
export function image(width: number, height: number, content: string): string {
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

/** Escapes text for XML, and replaces control characters, which XML does not allow. */
function escape(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\P{Cc}\t\n]|[\uFFFE\uFFFF]/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** The approximate width of a text in the font of plots. */
export function textWidth(text: string, size: number): number {
  const narrow = text.match(/[ijltfrI.,:;'|!()[\]\s]/g)?.length ?? 0;
  const wide = text.match(/[mwA-HJ-Z@%\u2E80-\uFFFF]/g)?.length ?? 0;
  return size * (0.57 * text.length - 0.26 * narrow + 0.2 * wide);
}

/** Shortens a text to `width`, with an ellipsis. */
export function truncate(text: string, size: number, width: number): string {
  if (textWidth(text, size) <= width) return text;
  const segments = new Intl.Segmenter().segment(text.slice(0, 300));
  const characters = Array.from(segments, ({ segment }) => segment);
  while (characters.length > 1 && textWidth(`${characters.join("")}…`, size) > width)
    characters.pop();
  return `${characters.join("").trimEnd()}…`;
}

function formatCoordinate(value: number): string {
  return String(Number(value.toFixed(2)));
}
