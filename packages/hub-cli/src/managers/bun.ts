import { join } from "node:path";

import { type BunInstall, bunInstall } from "../config/bunfig.ts";
import { type Place, projectRoot, textOf } from "../config/context.ts";
import { lineInNpmrc, tokensInNpmrc } from "./npmrc-lines.ts";
import type { PackageManager } from "./package-manager.ts";
import { askManager } from "./run-manager.ts";
import { linesFor } from "./scope-registries.ts";

const setting = "minimumReleaseAge";
const exclude = "minimumReleaseAgeExcludes";

/** bun, which reads an `.npmrc`, and where its own file says otherwise, its own. */
export const bun: PackageManager = {
  title: "bun",
  command: "bun",
  installsPeers: true,
  async settings(place, scope) {
    const version = await askManager(place, "bun", ["--version"]);
    if (version === undefined) return undefined;
    const install = await installSettings(place);
    const seconds = install.minimumReleaseAge;
    const excluded = install.minimumReleaseAgeExcludes;
    const lines = await linesFor(bun, place);
    return {
      version,
      registry: lines.find((line) => line.scope === scope)?.registry,
      gate:
        typeof seconds === "number" && seconds > 0
          ? {
              minutes: seconds / 60,
              isSoft: false,
              setting,
              excluded: Array.isArray(excluded) ? excluded.map(String) : [],
            }
          : undefined,
      allowsHttp: () => true,
      hasToken: await tokensInNpmrc(place),
    };
  },
  add: (specs, isDevelopment) => ["add", ...(isDevelopment ? ["--dev"] : []), ...specs],
  useHub: lineInNpmrc,
  exception: (root, releases) => ({
    file: join(root, "bunfig.toml"),
    lines: [
      "[install]",
      `${exclude} = [${[...new Set(releases.map(({ name }) => JSON.stringify(name)))].join(", ")}]`,
    ],
  }),
};

/** The project's file comes before the user's, setting by setting. */
async function installSettings(place: Place): Promise<BunInstall> {
  const files = [
    join(place.home, ".bunfig.toml"),
    join(await projectRoot(place.folder), "bunfig.toml"),
  ];
  const [users, projects] = await Promise.all(
    files.map(async (file) => bunInstall(await textOf(file), file)),
  );
  return { ...users, ...projects };
}
