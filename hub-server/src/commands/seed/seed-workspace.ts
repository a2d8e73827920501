import { publishingRight } from "../../access/permissions/publishing-right.ts";
import { limitsOf } from "../../packages/publish/limits.ts";
import { publishSubmissions } from "../../packages/publish/publish.ts";
import { type InspectedPackage, inspectTarball } from "../../packages/tarball/inspect.ts";
import { CommandError } from "../../platform/errors/command-error.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { packageName } from "../../platform/names/package-name.ts";
import { ensureScopes, hubIdentity } from "./hub-account.ts";
import { packWorkspace } from "./workspace.ts";

/** A version from the workspace. */
export interface SeededVersion {
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
