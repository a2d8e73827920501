import { toUint8Array } from "js-base64";

import {
  areContentParts,
  isMediaPart,
  mediaKind,
  type MediaKind,
  type MediaPart,
} from "./content.ts";
import { byteLength, isBase64, parseDataUrl } from "./data-url.ts";
import { mediaTypes, sniff } from "./media-type.ts";

/** What messages contain besides text. */
export interface MediaDefinition {
  /** Models, exports and pages that cannot carry these kinds refuse the environment. Other parts fail the rollout. */
  readonly kinds: readonly MediaKind[];
  /** The maximum size of one image, audio or file, in bytes. Default 20,000,000. */
  readonly maxBytes?: number | undefined;
}

/** What messages contain besides text, with defaults. */
export type MediaLimits = MediaDefinition & { readonly maxBytes: number };

/** The limits that a definition sets. */
export function mediaLimitsOf({
  media: { kinds, maxBytes = 20e6 } = { kinds: [] },
}: {
  readonly media?: MediaDefinition | undefined;
}): MediaLimits {
  return { kinds, maxBytes };
}

/** The limits of an environment that declares no media. */
export const textOnly: MediaLimits = { kinds: [], maxBytes: 0 };

/** Describes the first message whose content is not valid; `undefined` if all are. Text costs nothing. */
export function messagesProblem(
  messages: readonly unknown[],
  limits: MediaLimits,
): string | undefined {
  for (const [index, message] of messages.entries()) {
    const { role, content } = (message ?? {}) as { role?: unknown; content?: unknown };
    if (typeof content === "string") continue;
    // A policy's few-shot reply may consist of tool calls.
    if (role === "assistant" && (content === undefined || content === null)) continue;
    const problem =
      role === "user" || role === "tool"
        ? contentProblem(content, limits)
        : `its content is not text, which a message of the role ${String(role)} requires`;
    if (problem !== undefined) return `message ${index}: ${problem}`;
  }
  return undefined;
}

/** Describes why a content is not valid; `undefined` if it is. */
export function contentProblem(content: unknown, limits: MediaLimits): string | undefined {
  if (typeof content === "string") return undefined;
  if (!areContentParts(content))
    return "its content is neither text nor a list of parts of the types text, image_url, input_audio and file";
  for (const [index, part] of content.entries()) {
    const problem = isMediaPart(part) ? mediaProblem(part, limits) : undefined;
    if (problem !== undefined) return `part ${index}: ${problem}`;
  }
  return undefined;
}

function mediaProblem(part: MediaPart, { kinds, maxBytes }: MediaLimits): string | undefined {
  const kind = mediaKind(part);
  if (!kinds.includes(kind))
    return `it is ${{ image: "an image", audio: "audio", file: "a file" }[kind]}, which the definition does not declare. Add media: { kinds: ${JSON.stringify([...kinds, kind])} }`;
  const data = dataOf(part);
  if (typeof data === "string") return data;
  if (data === undefined) return undefined;
  const { mediaType, base64 } = data;
  if (kind !== "file" && !mediaTypes[kind].includes(mediaType))
    return `its media type ${mediaType} is unknown. Use ${mediaTypes[kind].join(", ")}`;
  if (base64 === "") return "it has no bytes";
  const size = byteLength(base64);
  if (size > maxBytes)
    return `it has ${size} bytes, more than the limit of ${maxBytes}. Make it smaller, or set media.maxBytes`;
  if (!isBase64(base64)) return "its bytes are not valid base64";
  const actual = sniff(toUint8Array(base64.slice(0, 16)));
  return actual === mediaType || (kind === "file" && !sniffable.has(mediaType))
    ? undefined
    : `its media type is ${mediaType}, but its bytes are ${actual ?? "of another type"}`;
}

/** The media types whose bytes are recognizable. */
const sniffable: ReadonlySet<string> = new Set([
  ...mediaTypes.image,
  ...mediaTypes.audio,
  "application/pdf",
]);

/** The bytes of a part; `undefined` for a URL that a model server loads; a text that describes the problem. */
function dataOf(
  part: MediaPart,
): { readonly mediaType: string; readonly base64: string } | string | undefined {
  switch (part.type) {
    case "input_audio": {
      const { data, format } = part.input_audio;
      return { mediaType: `audio/${format}`, base64: data };
    }
    case "file":
      return parseDataUrl(part.file.file_data) ?? "its file_data is not a data: URL in base64";
    case "image_url": {
      const { url } = part.image_url;
      if (/^https:\/\//i.test(url) && URL.canParse(url)) return undefined;
      return (
        parseDataUrl(url) ??
        `its URL ${JSON.stringify(url.slice(0, 60))} is neither https: nor data: in base64`
      );
    }
  }
}
