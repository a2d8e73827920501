import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import * as z from "zod";

import { CommandError } from "../../platform/errors/command-error.ts";

const run = promisify(execFile);
const projects = z.array(
  z.object({ name: z.string().optional(), private: z.boolean().optional() }),
);

/** Packs every public package of a pnpm workspace, as a release does. */
export async function packWorkspace(folder: string): Promise<readonly Uint8Array<ArrayBuffer>[]> {
  const cwd = resolve(folder);
  if (!existsSync(join(cwd, "pnpm-workspace.yaml")))
    throw new CommandError(
      `${cwd} is not a pnpm workspace: pnpm-workspace.yaml is missing. Pass the workspace to publish: --seed <folder>`,
    );
  const destination = await mkdtemp(join(tmpdir(), "envs-hub-seed-"));
  try {
    const { stdout } = await pnpm(cwd, ["list", "--recursive", "--depth", "-1", "--json"]);
    const names = projects
      .parse(JSON.parse(stdout))
      .flatMap(({ name, private: isPrivate }) =>
        isPrivate === true || name === undefined ? [] : [name],
      );
    const filters = names.flatMap((name) => ["--filter", name]);
    await pnpm(cwd, ["--recursive", ...filters, "pack", "--pack-destination", destination]);
    const files = (await readdir(destination)).toSorted();
    return await Promise.all(files.map((file) => readFile(join(destination, file))));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const { stderr = "", message } = error as Error & { stderr?: string };
    throw new CommandError(
      `pnpm could not pack the workspace in ${cwd}. Build it first (pnpm build).\n${stderr === "" ? message : stderr}`,
    );
  } finally {
    await rm(destination, { recursive: true, force: true });
  }
}

/** Runs the installed pnpm, or downloads one with npx. */
async function pnpm(cwd: string, args: readonly string[]): Promise<{ readonly stdout: string }> {
  const options = { cwd, maxBuffer: 2 ** 26 };
  try {
    return await run("pnpm", args, options);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== "ENOENT") throw error;
    return await run("npx", ["-y", "pnpm@12", ...args], options);
  }
}
