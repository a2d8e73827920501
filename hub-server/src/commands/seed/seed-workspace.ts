import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import * as z from "zod";

import { publishingRight } from "../../access/permissions/publishing-right.ts";
import { limitsOf, publishSubmissions } from "../../packages/publish/publish.ts";
import { type InspectedPackage, inspectTarball } from "../../packages/tarball/inspect.ts";
import { CommandError, HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { packageName } from "../../platform/names/package-name.ts";
import { ensureScopes, hubIdentity } from "./hub-account.ts";

/** A version from the workspace. */
interface SeededVersion {
  readonly name: string;
  readonly version: string;
  /** Whether this call published it. */
  readonly isNew: boolean;
}

/** Publishes the packages of a pnpm workspace, except versions that the hub already has. */
export async function* seedWorkspace(hub: Hub, folder: string): AsyncGenerator<SeededVersion> {
  const limits = limitsOf(hub.settings);
  const tarballs = await packWorkspace(folder);
  const inspected: (InspectedPackage & { readonly tarball: Uint8Array<ArrayBuffer> })[] = [];
  for (const tarball of tarballs)
    inspected.push({ ...(await inspectTarball(tarball, limits).catch(explain)), tarball });
  const identity = await hubIdentity(hub);
  await ensureScopes(hub, new Set(inspected.flatMap(({ name }) => packageName(name).scope ?? [])));
  for (const package_ of inspected) {
    const { name, version, tarball } = package_;
    const isNew = !(await isPublished(hub, package_));
    if (isNew) {
      const right = await publishingRight(hub.database, { identity, name });
      const upload = {
        ...package_,
        tag: "latest",
        access: "public",
        attestations: [],
        hints: {},
      } as const;
      const inspect = async () => upload;
      const tarballBytes = tarball.byteLength;
      await publishSubmissions(hub, [{ identity, right, name, version, tarballBytes, inspect }]);
    }
    yield { name, version, isNew };
  }
}

/** Adds a remedy to the error of a rejected package, whose manifest may be older than its files. */
function explain(error: unknown): never {
  if (!(error instanceof HubError)) throw error;
  throw new CommandError(
    `Cannot publish the workspace: ${error.message} Build the workspace, then start the hub again.`,
  );
}

async function isPublished(
  { database }: Hub,
  { name, version }: InspectedPackage,
): Promise<boolean> {
  const row = await database
    .selectFrom("versions")
    .innerJoin("packages", "packages.id", "versions.package_id")
    .where("packages.name", "=", name)
    .where("versions.version", "=", version)
    .select("versions.id")
    .executeTakeFirst();
  return row !== undefined;
}

const run = promisify(execFile);
const projects = z.array(
  z.object({ name: z.string().optional(), private: z.boolean().optional() }),
);

/** Packs every public package of a pnpm workspace, as a release does. */
async function packWorkspace(folder: string): Promise<readonly Uint8Array<ArrayBuffer>[]> {
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
