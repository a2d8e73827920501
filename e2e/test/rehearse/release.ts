import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { cp, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");

/** The name, version and folder of a package that a release publishes. */
export interface ReleasedPackage {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
}

/** Copies the builds of this workspace into a clone, so that it compiles nothing. They are newer than its sources. */
export async function copyBuilds(clone: string): Promise<void> {
  const builds = globSync(
    ["{packages,environments}/*/dist", "hub-server/dist", "packages/*/src/**/*.generated.ts"],
    { cwd: root },
  );
  for (const path of builds) await cp(join(root, path), join(clone, path), { recursive: true });
}

/** Runs a program of the clone by pnpm. Throws an error with its output if it fails. */
export async function pnpm(
  clone: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    const { stdout } = await run("pnpm", args, {
      cwd: clone,
      env: { ...process.env, CI: "true", ...variables },
      maxBuffer: 2 ** 26,
    });
    return stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    const output = `${stdout}\n${stderr}`.trim().split("\n").slice(-60).join("\n");
    throw new Error(`pnpm ${args.join(" ")} failed in ${clone}:\n${output}`, { cause: error });
  }
}

/** The packages of a workspace that are not private. */
export async function releasedPackages(workspace: string): Promise<readonly ReleasedPackage[]> {
  const files = globSync(["{packages,environments}/*/package.json", "hub-server/package.json"], {
    cwd: workspace,
  });
  const packages = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(workspace, file), "utf8");
      const manifest = JSON.parse(text) as ReleasedPackage & { readonly private?: boolean };
      return { ...manifest, folder: dirname(file) };
    }),
  );
  return packages
    .filter((manifest) => manifest.private !== true)
    .map(({ name, version, folder }) => ({ name, version, folder }))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
