import { execFile } from "node:child_process";
import { readFile, realpath } from "node:fs/promises";
import type { Readable } from "node:stream";
import { promisify } from "node:util";

import type Docker from "dockerode";
import { pack } from "tar-stream";

import { hasImage, imagePrefix, importImage, prepareImage, tagOf } from "./image.ts";

const run = promisify(execFile);

/** An image with Node, and the path of Node in it. */
export interface NodeImage {
  readonly name: string;
  readonly node: string;
}

const published = "node:24-slim";
const architectures: Readonly<Record<string, readonly string[]>> = {
  x64: ["x86_64", "amd64"],
  arm64: ["aarch64", "arm64"],
};

/**
 * The image of the container that is the way out of a machine: this process's own Node with its libraries, so that no registry is
 * needed, or Node's published image if the engine runs on another system.
 */
export async function nodeImage(docker: Docker): Promise<NodeImage> {
  const { OSType = "linux", Architecture = "" } = (await docker.info()) as {
    readonly OSType?: string;
    readonly Architecture?: string;
  };
  const isOurs =
    OSType === process.platform && architectures[process.arch]?.includes(Architecture) === true;
  if (!isOurs) {
    const name = await prepareImage({ docker, buildNetwork: undefined }, { name: published }, {});
    return { name, node: "node" };
  }
  const program = await realpath(process.execPath);
  const tag = `node-${tagOf([process.version, program])}`;
  const name = `${imagePrefix}:${tag}`;
  if (!(await hasImage(docker, name))) {
    const archive = pack();
    for (const path of [program, ...(await librariesOf(program))])
      archive.entry(
        { name: path === program ? "node" : path.slice(1), mode: 0o755 },
        await readFile(path),
      );
    archive.finalize();
    await importImage(docker, archive as unknown as Readable, tag);
  }
  return { name, node: "/node" };
}

/** The shared libraries of a program, and the loader that starts it. */
async function librariesOf(program: string): Promise<readonly string[]> {
  const { stdout } = await run("ldd", [program]).catch(() => ({ stdout: "" }));
  return [...stdout.matchAll(/(?:=> |^\s*)(\/\S+) \(/gm)].flatMap(([, path]) => path ?? []);
}
