import type { EnvironmentManifest } from "@envs/hub-client";
import { change, type Hub } from "@envs/hub-server/src/platform/hub/hub.ts";

import type { TestUser } from "./hub.ts";
import { environmentManifest } from "./manifest.ts";
import { type SeededPackage, type SeedOptions, seedOwnPackage } from "./seed-package.ts";

export interface SeedEnvironment extends Omit<SeedOptions, "owner" | "versions"> {
  readonly bare: string;
  readonly readme?: string;
  /** Additional fields of package.json. */
  readonly packageJson?: Readonly<Record<string, unknown>>;
  /** Additional fields of the manifest; null for a package without a manifest. */
  readonly manifest?: Partial<EnvironmentManifest> | null;
  readonly versions?: readonly string[];
}

/** Inserts the rows that publishing an environment creates, and its search entry. */
export async function seedEnvironment(
  hub: Hub,
  owner: TestUser,
  options: SeedEnvironment,
): Promise<SeededPackage> {
  const { readme = "", packageJson = {}, manifest = {}, versions = ["1.0.0"], ...rest } = options;
  const package_ = await seedOwnPackage(hub, owner, {
    ...rest,
    versions: versions.map((version) => ({ version, manifest: packageJson })),
  });
  for (const [version, id] of Object.entries(package_.versions)) {
    await hub.database
      .updateTable("versions")
      .set({ readme, readme_file: "README.md" })
      .where("id", "=", id)
      .execute();
    if (manifest === null) continue;
    const complete = {
      ...environmentManifest(`sha256-${"0".repeat(64)}`),
      name: options.bare,
      package: { name: package_.name, version },
      tags: [],
      ...manifest,
    };
    await hub.database
      .insertInto("environments")
      .values({ version_id: id, manifest: JSON.stringify(complete) })
      .execute();
  }
  await change(hub, async ({ touch }) => touch(package_));
  return package_;
}
