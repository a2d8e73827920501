import { join } from "node:path";

import { type BunInstall, parseBunfig } from "../config/bunfig.ts";
import { type CommandContext, projectRoot, readText } from "../config/context.ts";
import { scopeRegistriesOf } from "../config/scope-registries.ts";
import { mapScopeInNpmrc, npmrcTokens } from "./npm.ts";
import type { PackageManager } from "./package-manager.ts";
import { queryManager } from "./run-manager.ts";

const ageSetting = "minimumReleaseAge";
const excludeSetting = "minimumReleaseAgeExcludes";

/** bun, whose `bunfig.toml` overrides `.npmrc`. */
export const bun: PackageManager = {
  title: "bun",
  command: "bun",
  installsPeers: true,
  async settings(context, scope) {
    const version = await queryManager(context, "bun", ["--version"]);
    if (version === undefined) return undefined;
    const install = await readBunfig(context);
    const seconds = install.minimumReleaseAge;
    const excluded = install.minimumReleaseAgeExcludes;
    const registries = await scopeRegistriesOf(bun, context);
    return {
      version,
      registry: registries.find((candidate) => candidate.scope === scope)?.registry,
      gate:
        typeof seconds === "number" && seconds > 0
          ? {
              minutes: seconds / 60,
              isSoft: false,
              setting: ageSetting,
              excluded: Array.isArray(excluded) ? excluded.map(String) : [],
            }
          : undefined,
      allowsHttp: () => true,
      hasToken: await npmrcTokens(context),
    };
  },
  add: (specs, isDevelopment) => ["add", ...(isDevelopment ? ["--dev"] : []), ...specs],
  mapScope: mapScopeInNpmrc,
  exemption: (root, releases) => ({
    file: join(root, "bunfig.toml"),
    lines: [
      "[install]",
      `${excludeSetting} = [${[...new Set(releases.map(({ name }) => JSON.stringify(name)))].join(", ")}]`,
    ],
  }),
};

/** Merges the two files: a setting of the project overrides the user's. */
async function readBunfig(context: CommandContext): Promise<BunInstall> {
  const files = [
    join(context.home, ".bunfig.toml"),
    join(await projectRoot(context.folder), "bunfig.toml"),
  ];
  const [user, project] = await Promise.all(
    files.map(async (file) => parseBunfig(await readText(file), file)),
  );
  return { ...user, ...project };
}
