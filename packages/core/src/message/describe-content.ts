import { type Content, type ContentPart, mediaKind, type MediaPart } from "./content.ts";
import { byteLength, parseDataUrl } from "./data-url.ts";

/**
 * Writes a content as one text, for people: each part that is not text becomes a label in brackets, such as
 * `[image: image/png, 12 kB]`.
 */
export function describeContent(content: Content): string {
  if (typeof content === "string") return content;
  return content.map(describePart).join("\n");
}

/** Writes one part as text. */
export function describePart(part: ContentPart): string {
  if (part.type === "text") return part.text;
  return `[${mediaKind(part)}: ${details(part)}]`;
}

function details(part: MediaPart): string {
  if (part.type === "input_audio") {
    const { data, format } = part.input_audio;
    return data.startsWith("media/") ? data : `audio/${format}, ${size(data)}`;
  }
  if (part.type === "file") return `${part.file.filename}, ${location(part.file.file_data)}`;
  return location(part.image_url.url);
}

function location(url: string): string {
  const data = parseDataUrl(url);
  return data === undefined ? url : `${data.mediaType}, ${size(data.base64)}`;
}

function size(base64: string): string {
  const bytes = byteLength(base64);
  if (bytes < 1000) return `${bytes} bytes`;
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, "kB"] : [bytes / 1e6, "MB"];
  return `${Number(value.toPrecision(3))} ${unit}`;
}
