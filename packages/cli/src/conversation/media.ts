import { closeSync, openSync, readSync, statSync } from "node:fs";
import { basename, join } from "node:path";

import type { MediaPart, Message } from "@envs/core";
import { describePart, mediaKind, mediaParts } from "@envs/core/engine";
import { parseMediaReference } from "@envs/records";
import { imageSize } from "image-size";

/**
 * The places from which the images, audio and files of a conversation can be opened, in order: the path of a file, or the URL of an
 * image; `undefined` if the record contains the bytes. `folder` is that of the run.
 */
export function mediaLocations(
  messages: readonly Message[],
  folder: string,
): readonly (string | undefined)[] {
  return messages.flatMap(({ content }) =>
    mediaParts(content).map((part) => locationOf(part, folder)),
  );
}

function locationOf(part: MediaPart, folder: string): string | undefined {
  const source = sourceOf(part);
  const reference = parseMediaReference(source);
  if (reference !== undefined) return join(folder, reference.path);
  return source.startsWith("https://") ? source : undefined;
}

function sourceOf(part: MediaPart): string {
  if (part.type === "image_url") return part.image_url.url;
  return part.type === "file" ? part.file.file_data : part.input_audio.data;
}

/** A line such as `[image: 3f2a….png, image/png, 12 kB, 640 × 480]`. */
export function mediaLine(part: MediaPart, folder: string): string {
  const reference = parseMediaReference(sourceOf(part));
  if (reference === undefined) return describePart(part);
  const { path, mediaType } = reference;
  const known = labels.get(join(folder, path)) ?? fileLabel(join(folder, path));
  labels.set(join(folder, path), known);
  const name =
    part.type === "file" ? part.file.filename : basename(path).replace(/^(.{8}).*\./, "$1….");
  return `[${mediaKind(part)}: ${name}, ${mediaType}, ${known}]`;
}

/** A cache of labels by path. It stays valid because the name of a file is the hash of its content. */
const labels = new Map<string, string>();

/** The number of bytes that contain the dimensions of an image. In a JPEG, a preview may precede them. */
const headBytes = 256 * 1024;

function fileLabel(path: string): string {
  try {
    const { size } = statSync(path);
    const head = Buffer.alloc(Math.min(size, headBytes));
    const file = openSync(path, "r");
    readSync(file, head);
    closeSync(file);
    return [sizeText(size), pixels(head)].filter((text) => text !== "").join(", ");
  } catch {
    return "missing";
  }
}

function pixels(head: Buffer): string {
  try {
    const { width, height } = imageSize(head);
    return `${width} × ${height}`;
  } catch {
    return "";
  }
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, "kB"] : [bytes / 1e6, "MB"];
  return `${Number(value.toPrecision(3))} ${unit}`;
}
