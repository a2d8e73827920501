import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Message, Rollout } from "@envs/core";
import { dataUrl, messageOf, parseDataUrl } from "@envs/core/engine";

import {
  mapMedia,
  mapMessages,
  mediaReference,
  type MediaReference,
  parseMediaReference,
  type ReplaceMedia,
} from "../media.ts";
import { createFolder } from "./create-folder.ts";
import { replaceFile } from "./replace-file.ts";

/** The number of sources whose references are remembered: rollouts of an example follow each other and share its images. */
const remembered = 32;

/** Writes the bytes in rollouts to files of a run's folder. */
export class MediaWriter {
  readonly #folder: string;
  /** Paths of files that this process has written or found. */
  readonly #written = new Set<string>();
  readonly #references = new Map<string, string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Writes each file that does not exist yet, and returns the rollout with references to the files. */
  async store(rollout: Rollout): Promise<Rollout> {
    const files = new Map<string, Buffer>();
    const stored = mapMedia(rollout, (source) => this.#referenceTo(source, files));
    for (const [path, bytes] of files) await this.#write(path, bytes);
    return stored;
  }

  #referenceTo(source: string, files: Map<string, Buffer>): string {
    const known = this.#references.get(source);
    if (known !== undefined) return known;
    const data = parseDataUrl(source);
    if (data === undefined) return source;
    const bytes = Buffer.from(data.base64, "base64");
    const reference = mediaReference(sha256(bytes), data.mediaType);
    const { path } = parseMediaReference(reference)!;
    if (!this.#written.has(path)) files.set(path, bytes);
    this.#references.set(source, reference);
    if (this.#references.size > remembered)
      this.#references.delete(this.#references.keys().next().value!);
    return reference;
  }

  /** Writes a file, unless it exists with the same bytes. Replaces a damaged file. */
  async #write(path: string, bytes: Buffer): Promise<void> {
    const file = join(this.#folder, path);
    const existing = await readFile(file).catch(() => undefined);
    if (existing?.equals(bytes) !== true) {
      await createFolder(join(this.#folder, "media"));
      await replaceFile(file, bytes);
    }
    this.#written.add(path);
  }
}

/** Reads the files to which the records of a folder refer. Rollouts with the same file share one string. */
export class MediaReader {
  readonly #folder: string;
  readonly #urls = new Map<string, Promise<string>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the rollout with the bytes. Throws an `Error` for a file that is missing or damaged. */
  resolve(rollout: Rollout): Promise<Rollout> {
    return this.#replaceAll((replace) => mapMedia(rollout, replace));
  }

  /** Returns the messages with the bytes. Throws an `Error` for a file that is missing or damaged. */
  resolveMessages(messages: readonly Message[]): Promise<readonly Message[]> {
    return this.#replaceAll((replace) => mapMessages(messages, replace));
  }

  async #replaceAll<Value>(map: (replace: ReplaceMedia) => Value): Promise<Value> {
    const references = new Map<string, MediaReference>();
    const unchanged = map((source) => {
      const reference = parseMediaReference(source);
      if (reference !== undefined) references.set(source, reference);
      return source;
    });
    if (references.size === 0) return unchanged;
    const urls = new Map<string, string>();
    for (const [source, reference] of references) {
      const pending = this.#urls.get(source) ?? this.#read(reference);
      this.#urls.set(source, pending);
      urls.set(source, await pending);
    }
    return map((source) => urls.get(source) ?? source);
  }

  async #read({ path, sha256: expected, mediaType }: MediaReference): Promise<string> {
    const bytes = await readFile(join(this.#folder, path)).catch((error: unknown) => {
      throw new Error(`cannot read ${path}, to which the record refers (${messageOf(error)})`, {
        cause: error,
      });
    });
    if (sha256(bytes) !== expected)
      throw new Error(`${path} is damaged: its content does not have the SHA-256 of its name`);
    return dataUrl({ mediaType, base64: bytes.toString("base64") });
  }
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
