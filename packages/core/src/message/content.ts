/** Text beside images, audio or files. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** An image: an `https:` URL, or its bytes as a `data:` URL. */
export interface ImagePart {
  readonly type: "image_url";
  readonly image_url: {
    readonly url: string;
    /** How closely the model looks. Servers without this option ignore it. */
    readonly detail?: "auto" | "low" | "high" | "original";
  };
}

/** Audio, as bytes in base64. */
export interface AudioPart {
  readonly type: "input_audio";
  readonly input_audio: { readonly data: string; readonly format: AudioFormat };
}

/** The formats of audio that chat-completions servers accept. */
export type AudioFormat = "wav" | "mp3";

/** A file such as a PDF, as a `data:` URL. */
export interface FilePart {
  readonly type: "file";
  readonly file: { readonly file_data: string; readonly filename: string };
}

/** A part that is not text. */
export type MediaPart = ImagePart | AudioPart | FilePart;

/** A part of a message, in the format of chat completions. */
export type ContentPart = TextPart | MediaPart;

/** What a message says: text, or parts. An agent may send text as parts; environments use them for media. */
export type Content = string | readonly ContentPart[];

/** What a message can contain besides text. */
export type MediaKind = "image" | "audio" | "file";

const kinds: Readonly<Record<MediaPart["type"], MediaKind>> = {
  image_url: "image",
  input_audio: "audio",
  file: "file",
};

/** Returns the text of a content: its text parts, joined without a separator, as chat templates join them. */
export function textOf(content: Content): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** The parts of a content that are not text. */
export function mediaParts(content: Content): readonly MediaPart[] {
  return typeof content === "string" ? [] : content.filter(isMediaPart);
}

/** Whether a part is an image, audio or a file. */
export function isMediaPart(part: ContentPart): part is MediaPart {
  return part.type !== "text";
}

/** The kind of a part that is not text. */
export function mediaKind(part: MediaPart): MediaKind {
  return kinds[part.type];
}

/**
 * Whether a value is a list of content parts that is not empty. Checks that the fields exist, not the bytes and URLs in them.
 */
export function areContentParts(value: unknown): value is readonly ContentPart[] {
  return Array.isArray(value) && value.length > 0 && value.every(isContentPart);
}

/** The fields of each type, which are texts. */
const fields: Readonly<Record<MediaPart["type"], readonly string[]>> = {
  image_url: ["url"],
  input_audio: ["data", "format"],
  file: ["file_data", "filename"],
};

function isContentPart(value: unknown): value is ContentPart {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  const part = value as Readonly<Record<string, unknown>>;
  if (part.type === "text") return typeof part.text === "string";
  const type = Object.keys(fields).find((name) => name === part.type) as MediaPart["type"];
  const inner = type && part[type];
  if (typeof inner !== "object" || inner === null) return false;
  return fields[type].every((name) => typeof (inner as typeof part)[name] === "string");
}
