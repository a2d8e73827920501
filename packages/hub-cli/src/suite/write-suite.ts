import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { FailureError } from "@envs/cli/kit";
import { loadEnvironment } from "@envs/cli/kit/environments";
import { suiteFile, type SuiteInput } from "@envs/hub-client";

interface NewSuite {
  readonly folder: string;
  readonly name: string;
  /** Packages that are installed in this project. */
  readonly environments: readonly string[];
}

/** Writes the package of a suite that locks the installed versions of environments, with their default configs. */
export async function writeSuite({ folder, name, environments }: NewSuite): Promise<void> {
  if (existsSync(join(folder, suiteFile)))
    throw new FailureError(`${join(folder, suiteFile)} exists already. Edit it.`);
  const locked = await Promise.all(environments.map((reference) => lockedVersion(reference)));
  const suite: SuiteInput = {
    schema: 1,
    environments: locked.map(({ environment, version, config }) => ({
      environment,
      version,
      config,
      seed: 0,
      examples: 50,
      rolloutsPerExample: 4,
    })),
  };
  const packageJson = {
    name,
    version: "1.0.0",
    description: `A suite of ${environments.length} environments`,
    keywords: ["llm-suite"],
    type: "module",
    files: [suiteFile],
    exports: { "./package.json": "./package.json", [`./${suiteFile}`]: `./${suiteFile}` },
    // Exact versions, so that installing the suite installs what it measures.
    dependencies: Object.fromEntries(
      locked.map(({ environment, version }) => [environment, version]),
    ),
  };
  await mkdir(folder, { recursive: true });
  for (const [file, content] of [
    ["package.json", packageJson],
    [suiteFile, suite],
  ] as const)
    await writeFile(join(folder, file), `${JSON.stringify(content, undefined, 2)}\n`);
}

async function lockedVersion(reference: string) {
  const { packageName, version, factory } = await loadEnvironment(reference);
  if (packageName === undefined || version === undefined)
    throw new FailureError(
      `${reference} is not a version of a package. A suite locks published versions: envs publish`,
    );
  return { environment: packageName, version, config: { ...factory().config } };
}
