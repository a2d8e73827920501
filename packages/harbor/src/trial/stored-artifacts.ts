import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createGunzip, createGzip } from "node:zlib";

import type { Message } from "@envs/core";
import { packPath, unpackInto } from "@envs/machine";

const maxUnpackedBytes = 2 ** 30;
const name = /^Artifacts: ([\da-f]{64}\.tar\.gz)$/u;

/** Stores the content of a folder as a file of `store`, and returns the message that names it. */
export async function storeArtifacts(folder: string, store: string): Promise<Message> {
  const { archive } = await packPath(folder, "");
  const bytes = await buffer(archive.pipe(createGzip()));
  const file = `${createHash("sha256").update(bytes).digest("hex")}.tar.gz`;
  await mkdir(store, { recursive: true });
  await writeFile(join(store, file), bytes);
  return { role: "user", content: `Artifacts: ${file}` };
}

/** Writes the artifacts that the last message names into a folder. Returns why it cannot. */
export async function unpackStored(
  messages: readonly Message[],
  store: string,
  stage: string,
): Promise<string | undefined> {
  const { content } = messages.at(-1) ?? { content: "" };
  const [, file] = (typeof content === "string" ? name.exec(content) : undefined) ?? [];
  if (file === undefined) return "It stored no artifacts. Play it again with --artifacts <folder>.";
  const bytes = await readFile(join(store, file)).catch(() => undefined);
  if (bytes === undefined) return `Its artifacts ${join(store, file)} cannot be read.`;
  await unpackInto(Readable.from([bytes]).pipe(createGunzip()), stage, maxUnpackedBytes);
  return undefined;
}
