import type { Branch, Content, Example, MediaPart, Message, Rollout, Turn } from "@envs/core";
import { type AgentCall, dataUrl, mapValues, parseDataUrl } from "@envs/core/engine";

import { extensionOf, mediaTypeOf } from "./media-type.ts";

/** A reference to a file beside the records, named by its content, that stores an image, audio or a file. */
export interface MediaReference {
  /** Relative to the run's folder: `media/<SHA-256 of the bytes>.<extension>`. */
  readonly path: string;
  readonly sha256: string;
  readonly mediaType: string;
}

const pattern = /^(media\/([0-9a-f]{64})\.([a-z0-9]{1,8}))(?:\?type=([\w.+-]+\/[\w.+-]+))?$/;

/** Parses a reference; `undefined` for any other text. */
export function parseMediaReference(text: string): MediaReference | undefined {
  const match = text.length > 300 ? null : pattern.exec(text);
  if (match === null) return undefined;
  const [, path, sha256, extension, mediaType = mediaTypeOf(extension!)] = match;
  return { path: path!, sha256: sha256!, mediaType };
}

/** Writes a reference. A media type without its own extension becomes a part of it. */
export function mediaReference(sha256: string, mediaType: string): string {
  const path = `media/${sha256}.${extensionOf(mediaType)}`;
  return extensionOf(mediaType) === "bin" ? `${path}?type=${mediaType}` : path;
}

/** Receives a `data:` URL or a reference, and returns its replacement or the same text. */
export type ReplaceMedia = (source: string) => string;

/**
 * Replaces the `data:` URLs and the references in a rollout: in the parts of its messages, of those of its branches and other seats, and anywhere in its example.
 * Returns the same rollout if nothing changed, as for text.
 */
export function mapMedia<R extends Rollout>(rollout: R, replace: ReplaceMedia): R {
  const messages = <M extends Message>(list: readonly M[]) => mapMessages(list, replace);
  const calls = <Call extends AgentCall | Branch>(list: readonly Call[]): readonly Call[] =>
    mapItems(list, (call) => mapFields<AgentCall | Branch>(call, { messages }) as Call);
  // What an agent sent to its model, too.
  const trajectory = (turns: readonly Turn[]) =>
    mapItems(turns, (turn) => mapFields(turn, { calls }));
  const side = { prompt: messages, completion: messages, trajectory, unfinishedCalls: calls };
  return mapFields<Rollout>(rollout, {
    ...side,
    example: (example) => mapValue(example, replace) as Example,
    branches: calls,
    otherSeats: (seats) =>
      mapFields(
        seats,
        mapValues(seats, () => (seat: Side) => mapFields(seat, side)),
      ),
  }) as R;
}

type Side = NonNullable<Rollout["otherSeats"]>[string];

/** Replaces fields that an object has. Returns the same object if none changed. */
function mapFields<Value extends object>(
  value: Value,
  maps: { readonly [Name in keyof Value]?: (field: NonNullable<Value[Name]>) => Value[Name] },
): Value {
  const changed: Partial<Value> = {};
  for (const name of Object.keys(maps) as (keyof Value)[]) {
    const field = value[name];
    const mapped = field == null ? field : maps[name]!(field);
    if (mapped !== field) changed[name] = mapped;
  }
  return Object.keys(changed).length === 0 ? value : { ...value, ...changed };
}

/** Replaces the `data:` URLs and the references in the parts of messages. */
export function mapMessages<M extends Message>(
  messages: readonly M[],
  replace: ReplaceMedia,
): readonly M[] {
  const content = (before: Content): Content => mapContent(before, replace);
  return mapItems(messages, (message) => mapFields<Message>(message, { content }) as M);
}

function mapContent(content: Content, replace: ReplaceMedia): Content {
  if (typeof content === "string") return content;
  return mapItems(content, (part) => (part.type === "text" ? part : mapPart(part, replace)));
}

function mapPart(part: MediaPart, replace: ReplaceMedia): MediaPart {
  const text = (before: string): string => mapText(before, replace);
  switch (part.type) {
    case "image_url":
      return mapFields(part, { image_url: (image) => mapFields(image, { url: text }) });
    case "file":
      return mapFields(part, { file: (file) => mapFields(file, { file_data: text }) });
    case "input_audio": {
      const { data, format } = part.input_audio;
      const source =
        parseMediaReference(data) === undefined
          ? dataUrl({ mediaType: `audio/${format}`, base64: data })
          : data;
      const replaced = replace(source);
      if (replaced === source) return part;
      const base64 = parseDataUrl(replaced)?.base64 ?? replaced;
      return { ...part, input_audio: { ...part.input_audio, data: base64 } };
    }
  }
}

function mapValue(value: unknown, replace: ReplaceMedia): unknown {
  if (typeof value === "string") return mapText(value, replace);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return mapItems(value, (item) => mapValue(item, replace));
  if (isAudio(value)) return mapPart(value, replace);
  let isChanged = false;
  const entries = Object.entries(value).map(([name, inner]) => {
    const mapped = mapValue(inner, replace);
    isChanged ||= mapped !== inner;
    return [name, mapped] as const;
  });
  return isChanged ? Object.fromEntries(entries) : value;
}

function isAudio(value: object): value is Extract<MediaPart, { type: "input_audio" }> {
  if (!("type" in value) || value.type !== "input_audio" || !("input_audio" in value)) return false;
  const { data, format } = (value.input_audio ?? {}) as { data?: unknown; format?: unknown };
  return typeof data === "string" && typeof format === "string";
}

function mapText(text: string, replace: ReplaceMedia): string {
  return text.startsWith("data:") || text.startsWith("media/") ? replace(text) : text;
}

function mapItems<Item>(items: readonly Item[], map: (item: Item) => Item): readonly Item[] {
  let isChanged = false;
  const mapped = items.map((item) => {
    const next = map(item);
    isChanged ||= next !== item;
    return next;
  });
  return isChanged ? mapped : items;
}
