import { fromUint8Array } from "js-base64";

import { ConfigError } from "../errors.ts";
import type { AudioPart, FilePart, ImagePart } from "./content.ts";
import { dataUrl } from "./data-url.ts";
import { mediaTypes, sniff } from "./media-type.ts";

/**
 * Creates an image from its bytes, or from an `https:` or `data:` URL. The media type is read from the bytes; a media type that
 * does not match them is an error.
 */
export function imagePart(source: Uint8Array | string | URL, mediaType?: string): ImagePart {
  const url = source instanceof Uint8Array ? imageUrl(source, mediaType) : String(source);
  if (!/^(https:\/\/|data:)/i.test(url))
    throw new ConfigError(
      `The image's URL ${JSON.stringify(url.slice(0, 60))} is neither https: nor data:. Pass the bytes of the image, or a URL that model servers can load.`,
    );
  return { type: "image_url", image_url: { url } };
}

/** Creates audio from the bytes of a WAV or MP3 file. */
export function audioPart(bytes: Uint8Array): AudioPart {
  const format = sniff(bytes)?.replace("audio/", "");
  if (format !== "wav" && format !== "mp3")
    throw new ConfigError(
      "The bytes are neither WAV nor MP3, the formats that model servers accept. Convert the audio first.",
    );
  return { type: "input_audio", input_audio: { data: fromUint8Array(bytes), format } };
}

/** Creates a file from its bytes, such as a PDF. Models see its name. */
export function filePart(filename: string, bytes: Uint8Array, mediaType?: string): FilePart {
  const type = mediaType ?? sniff(bytes) ?? "text/plain";
  const url = dataUrl({ mediaType: type, base64: fromUint8Array(bytes) });
  return { type: "file", file: { filename, file_data: url } };
}

function imageUrl(bytes: Uint8Array, mediaType: string | undefined): string {
  const actual = sniff(bytes);
  const isImage = mediaTypes.image.some((known) => known === actual);
  if (actual === undefined || !isImage || (mediaType !== undefined && mediaType !== actual))
    throw new ConfigError(
      `The ${bytes.length} bytes are ${actual ?? "of an unknown type"}, not ${mediaType ?? "an image"}. Use ${mediaTypes.image.join(", ")}.`,
    );
  return dataUrl({ mediaType: actual, base64: fromUint8Array(bytes) });
}
