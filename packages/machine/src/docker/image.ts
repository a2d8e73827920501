import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { join } from "node:path";

import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import type Docker from "dockerode";

import type { ImageSource, PrepareOptions } from "../machine.ts";
import { statusOf } from "./engine.ts";

export const imagePrefix = "envs.local/machine";
const defaultTimeoutMs = 600_000;

export interface BuildSettings {
  readonly docker: Docker;
  /** The network of the commands of a build, such as `host`. */
  readonly buildNetwork: string | undefined;
}

/** Builds, pulls or imports an image that the engine does not have yet, and returns its name. */
export async function prepareImage(
  settings: BuildSettings,
  source: ImageSource,
  options: PrepareOptions,
): Promise<string> {
  const { docker } = settings;
  if ("name" in source) {
    if (!(await hasImage(docker, source.name)))
      await follow(docker, `pull ${source.name}`, options, () => docker.pull(source.name));
    return source.name;
  }
  if ("rootfs" in source) {
    const { size, mtimeMs } = await stat(source.rootfs).catch((error: unknown) => {
      throw new ConfigError(`The rootfs of the image cannot be read: ${messageOf(error)}`);
    });
    const tag = tagOf([source.rootfs, String(size), String(mtimeMs)]);
    if (!(await hasImage(docker, `${imagePrefix}:${tag}`)))
      await importImage(docker, createReadStream(source.rootfs), tag, options);
    return `${imagePrefix}:${tag}`;
  }
  const { folder, dockerfile = "Dockerfile" } = source;
  const tag = tagOf([dockerfile, ...(await contentOf(folder))]);
  const name = `${imagePrefix}:${tag}`;
  if (await hasImage(docker, name)) return name;
  const { buildNetwork } = settings;
  await follow(docker, `build ${join(folder, dockerfile)}`, options, () =>
    docker.buildImage(
      { context: folder, src: ["."] },
      {
        t: name,
        dockerfile,
        rm: true,
        forcerm: true,
        ...(buildNetwork === undefined ? {} : { networkmode: buildNetwork }),
      },
    ),
  );
  return name;
}

/** Makes an image of a tar file with a root file system. */
export async function importImage(
  docker: Docker,
  archive: NodeJS.ReadableStream,
  tag: string,
  options: PrepareOptions = {},
): Promise<void> {
  await follow(docker, `import ${imagePrefix}:${tag}`, options, () =>
    docker.importImage(archive, { repo: `${imagePrefix}:${tag}` }),
  );
}

export async function hasImage(docker: Docker, name: string): Promise<boolean> {
  try {
    await docker.getImage(name).inspect();
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw error;
  }
}

/** Files of a folder by their content: a build of the same files is the same. */
async function contentOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: unknown) => {
      throw new ConfigError(`The folder of the image cannot be read: ${messageOf(error)}`);
    },
  );
  const contents = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const inner = path.slice(folder.length);
    if (entry.isSymbolicLink()) return `${inner} -> ${await readlink(path)}`;
    if (!entry.isFile()) return `${inner}/`;
    const { mode } = await stat(path);
    return `${inner} ${mode} ${createHash("sha256")
      .update(await readFile(path))
      .digest("hex")}`;
  });
  return (await Promise.all(contents)).toSorted();
}

export function tagOf(parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 24);
}

interface Progress {
  readonly stream?: string;
  readonly status?: string;
  readonly error?: string;
}

const shownLines = 20;

/** Waits for the end of a build or pull. Its error has the last lines. */
async function follow(
  docker: Docker,
  what: string,
  { timeoutMs = defaultTimeoutMs, signal, onProgress }: PrepareOptions,
  start: () => Promise<NodeJS.ReadableStream>,
): Promise<void> {
  const limits = [AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])];
  const ended = AbortSignal.any(limits);
  const lines: string[] = [];
  try {
    const stream = await start();
    const stop = (): void => (stream as unknown as { destroy(): void }).destroy();
    ended.addEventListener("abort", stop, { once: true });
    let failure: string | undefined;
    await new Promise<void>((resolve, reject) => {
      stream.once("close", () => reject(new Error("the engine closed the connection")));
      docker.modem.followProgress(
        stream,
        (error) =>
          error === null && failure === undefined ? resolve() : reject(error ?? new Error(failure)),
        ({ stream: text, status, error }: Progress) => {
          // Podman ends a failed build like a good one.
          failure ??= error;
          for (const line of (text ?? status ?? error ?? "").trimEnd().split("\n")) {
            if (line === "") continue;
            lines.push(line);
            if (lines.length > shownLines) lines.shift();
            onProgress?.(line);
          }
        },
      );
    });
  } catch (error) {
    signal?.throwIfAborted();
    const why = ended.aborted ? `it took more than ${timeoutMs} ms` : messageOf(error);
    throw new Error(
      `Could not ${what}: ${why}\n${lines.map((line) => `  ${line}`).join("\n")}`.trimEnd(),
      {
        cause: error,
      },
    );
  }
}
