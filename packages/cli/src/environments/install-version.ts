import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { runEnvs } from "../run-envs.ts";
import { FailureError } from "../terminal/errors.ts";
import { ownScope } from "../terminal/own-scope.ts";

/** A version of a package by the hash of its tarball. */
export interface ExactVersion {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

/**
 * Installs exactly one version of an environment into a project of its folder with npm, and checks that the integrity of the
 * installed tarball equals that of the evaluated one. Returns the path of the package.
 */
export async function installVersion(
  folder: string,
  { name, version, integrity }: ExactVersion,
  url: string,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "package.json"),
    `${JSON.stringify({ name: "reproduction", private: true, type: "module" })}\n`,
  );
  const words = ["install", `${name}@${version}`, "--registry", url, "--client", "npm"];
  const scopes = name.startsWith(`${ownScope}/`) ? [] : ["--scope", ownScope];
  await runEnvs(folder, [...words, ...scopes, "--allow-new"]);
  const lock = JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
  };
  const installed = lock.packages[`node_modules/${name}`]?.integrity;
  if (installed !== integrity)
    throw new FailureError(
      `npm installed ${name}@${version} with the integrity ${installed}, but the run was played on ${integrity}.`,
    );
  return join(folder, "node_modules", name);
}
