import type { Branch, Content, Example, MediaPart, Message, Rollout, Turn } from "@envs/core";
import { type AgentCall, dataUrl, parseDataUrl } from "@envs/core/engine";

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
  const example = mapValue(rollout.example, replace) as Example;
  const prompt = mapMessages(rollout.prompt, replace);
  const completion = mapMessages(rollout.completion, replace);
  const branches = rollout.branches && mapItems(rollout.branches, callMapper(replace));
  const otherSeats = rollout.otherSeats && mapSeats(rollout.otherSeats, replace);
  const trajectory = mapItems(rollout.trajectory, turnMapper(replace));
  const unfinishedCalls =
    rollout.unfinishedCalls && mapItems(rollout.unfinishedCalls, callMapper(replace));
  return example === rollout.example &&
    prompt === rollout.prompt &&
    completion === rollout.completion &&
    branches === rollout.branches &&
    otherSeats === rollout.otherSeats &&
    trajectory === rollout.trajectory &&
    unfinishedCalls === rollout.unfinishedCalls
    ? rollout
    : Object.assign(
        { ...rollout, example, prompt, completion, trajectory },
        unfinishedCalls && { unfinishedCalls },
        branches && { branches },
        otherSeats && { otherSeats },
      );
}

function mapSeats(
  seats: NonNullable<Rollout["otherSeats"]>,
  replace: ReplaceMedia,
): NonNullable<Rollout["otherSeats"]> {
  const mapped = Object.entries(seats).map(([seat, side]) => {
    const prompt = mapMessages(side.prompt, replace);
    const completion = mapMessages(side.completion, replace);
    const trajectory = mapItems(side.trajectory, turnMapper(replace));
    const unfinishedCalls =
      side.unfinishedCalls && mapItems(side.unfinishedCalls, callMapper(replace));
    const isSame =
      prompt === side.prompt &&
      completion === side.completion &&
      trajectory === side.trajectory &&
      unfinishedCalls === side.unfinishedCalls;
    if (isSame) return [seat, side] as const;
    const changed = { ...side, prompt, completion, trajectory };
    return [seat, Object.assign(changed, unfinishedCalls && { unfinishedCalls })] as const;
  });
  return mapped.some(([seat, side]) => side !== seats[seat]) ? Object.fromEntries(mapped) : seats;
}

/** Replaces media in what an agent sent to its model. */
function turnMapper(replace: ReplaceMedia): (turn: Turn) => Turn {
  return (turn) => {
    const calls = turn.calls && mapItems(turn.calls, callMapper(replace));
    return calls === turn.calls ? turn : { ...turn, calls };
  };
}

function callMapper<Call extends AgentCall | Branch>(replace: ReplaceMedia): (call: Call) => Call {
  return (call) => {
    const messages = mapMessages(call.messages, replace);
    return messages === call.messages ? call : { ...call, messages };
  };
}

/** Replaces the `data:` URLs and the references in the parts of messages. */
export function mapMessages<M extends Message>(
  messages: readonly M[],
  replace: ReplaceMedia,
): readonly M[] {
  return mapItems(messages, (message) => {
    const content = mapContent(message.content, replace);
    return content === message.content ? message : { ...message, content };
  });
}

function mapContent(content: Content, replace: ReplaceMedia): Content {
  if (typeof content === "string") return content;
  return mapItems(content, (part) => (part.type === "text" ? part : mapPart(part, replace)));
}

function mapPart(part: MediaPart, replace: ReplaceMedia): MediaPart {
  switch (part.type) {
    case "image_url": {
      const url = mapText(part.image_url.url, replace);
      if (url === part.image_url.url) return part;
      return { ...part, image_url: { ...part.image_url, url } };
    }
    case "file": {
      const url = mapText(part.file.file_data, replace);
      if (url === part.file.file_data) return part;
      return { ...part, file: { ...part.file, file_data: url } };
    }
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
