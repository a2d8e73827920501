import { type Content, type ContentPart, type MediaPart, RolloutError, textOf } from "@envs/core";
import { contentProblem, describePart, mediaParts, parseDataUrl } from "@envs/core/engine";
import { HttpError } from "@envs/models/server";

/** Parts that are all text become one text, as chat templates join them. Throws an `HttpError` 400 for invalid media. */
export function contentOf(parts: readonly ContentPart[], field: string): Content {
  if (mediaParts(parts).length === 0) return textOf(parts);
  const problem = contentProblem(parts, { kinds: ["image", "audio", "file"], maxBytes: Infinity });
  if (problem === undefined) return parts;
  throw new HttpError(400, `The request is not valid. ${field}: ${problem}`, { field });
}

/** Creates a part from bytes in base64: an image, audio in a format that models accept, or a file. */
export function mediaPart(mediaType: string, base64: string, filename = "file"): ContentPart {
  const url = `data:${mediaType};base64,${base64}`;
  if (mediaType.startsWith("image/")) return { type: "image_url", image_url: { url } };
  if (mediaType === "audio/wav" || mediaType === "audio/x-wav")
    return { type: "input_audio", input_audio: { data: base64, format: "wav" } };
  if (mediaType === "audio/mpeg" || mediaType === "audio/mp3")
    return { type: "input_audio", input_audio: { data: base64, format: "mp3" } };
  return { type: "file", file: { file_data: url, filename } };
}

/** The bytes of an image, audio or a file in base64, or the URL of an image. */
export type MediaSource =
  | { readonly mediaType: string; readonly base64: string; readonly filename?: string }
  | { readonly url: string };

/** Reads where the bytes of a part are, for dialects that name their media types. */
export function mediaSource(part: MediaPart): MediaSource {
  if (part.type === "input_audio") {
    const { data: base64, format } = part.input_audio;
    return { mediaType: format === "mp3" ? "audio/mpeg" : "audio/wav", base64 };
  }
  const url = part.type === "file" ? part.file.file_data : part.image_url.url;
  const data = parseDataUrl(url);
  if (data === undefined) return { url };
  return part.type === "file" ? { ...data, filename: part.file.filename } : data;
}

/** The error for a part that a dialect has no form for. */
export function unsupportedMedia(part: MediaPart, api: string): RolloutError {
  return new RolloutError(
    "model",
    `${api} does not accept ${describePart(part)}. Choose a model with another API for this environment.`,
    { isFatal: true },
  );
}
