/** The parts of a `data:` URL. */
export interface DataUrl {
  readonly mediaType: string;
  readonly base64: string;
}

/** Parses a `data:` URL in base64; `undefined` for any other text. Does not validate the base64. */
export function parseDataUrl(url: string): DataUrl | undefined {
  // The longest media type that a registry has is 100 characters long. The data may have millions.
  const head = /^data:([\w.+-]+\/[\w.+-]+)((?:;[\w.+-]+=[\w.+-]+)*);base64,/.exec(
    url.slice(0, 300),
  );
  if (head === null) return undefined;
  return { mediaType: head[1]!.toLowerCase(), base64: url.slice(head[0].length) };
}

/** Writes bytes in base64 as a `data:` URL. */
export function dataUrl({ mediaType, base64 }: DataUrl): string {
  return `data:${mediaType};base64,${base64}`;
}

/** The number of bytes that a base64 text stands for. */
export function byteLength(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - padding;
}

/** Whether a text is base64 with its padding. */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  const padding = text.indexOf("=");
  if (padding !== -1 && !/^={1,2}$/.test(text.slice(padding))) return false;
  // A search for an invalid character needs no backtracking at any length.
  return !/[^A-Za-z0-9+/=]/.test(text);
}
