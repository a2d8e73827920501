import type { EnvironmentManifest } from "@envs/hub-client";
import { change } from "@envs/hub-server/src/platform/hub/change.ts";
import type { Hub } from "@envs/hub-server/src/platform/hub/hub.ts";

import type { TestUser } from "./hub.ts";
import { environmentManifest } from "./manifest.ts";
import { seedOwnPackage, type SeededPackage, type SeedOptions } from "./seed-package.ts";

export interface SeedEnvironment extends Omit<SeedOptions, "owner" | "versions"> {
  readonly bare: string;
  readonly readme?: string;
  /** What package.json has besides. */
  readonly packageJson?: Readonly<Record<string, unknown>>;
  /** What its manifest has besides; null for a package without one. */
  readonly manifest?: Partial<EnvironmentManifest> | null;
  readonly versions?: readonly string[];
}

/** Puts an environment's package into the database, as publishing leaves it, and into the search. */
export async function seedEnvironment(
  hub: Hub,
  owner: TestUser,
  options: SeedEnvironment,
): Promise<SeededPackage> {
  const { readme = "", packageJson = {}, manifest = {}, versions = ["1.0.0"], ...rest } = options;
  const found = await seedOwnPackage(hub, owner, {
    ...rest,
    versions: versions.map((version) => ({ version, manifest: packageJson })),
  });
  for (const [version, id] of Object.entries(found.versions)) {
    await hub.database
      .updateTable("versions")
      .set({ readme, readme_file: "README.md" })
      .where("id", "=", id)
      .execute();
    if (manifest === null) continue;
    const whole = {
      ...environmentManifest(`sha256-${"0".repeat(64)}`),
      name: options.bare,
      package: { name: found.name, version },
      tags: [],
      ...manifest,
    };
    await hub.database
      .insertInto("environments")
      .values({ version_id: id, manifest: JSON.stringify(whole) })
      .execute();
  }
  await change(hub, async ({ touch }) => touch(found));
  return found;
}
