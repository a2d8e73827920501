import { type Content, type ContentPart, text } from "@envs/core";
import { contentProblem, mediaParts } from "@envs/core/engine";
import { HttpError } from "@envs/core/node";

/** Parts that are all text become one text, as chat templates join them. Throws an `HttpError` 400 for invalid media. */
export function contentOf(parts: readonly ContentPart[], field: string): Content {
  if (mediaParts(parts).length === 0) return text(parts);
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
