import * as z from "zod";

import { refusal } from "../../platform/errors/refusal.ts";
import { packageName } from "../../platform/names/package-name.ts";
import { packageVersion } from "../../platform/names/package-version.ts";
import { type Commands, commandsOf } from "./bin.ts";
import { checkDependencies, type Dependencies } from "./dependencies.ts";
import { readJson } from "./json.ts";
import type { PackageLimits } from "./limits.ts";

const byName = z.record(z.string(), z.string()).optional();
const list = z.union([z.string().transform((one) => [one]), z.array(z.string())]).optional();
/** A field that people read: one of the wrong type is left out, as npm leaves it out. */
const shown = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);

/** What clients read to install a package must have the type that they expect, or one version spoils all of them. */
const packageJson = z.looseObject({
  name: z.string(),
  version: z.string(),
  private: z.unknown().optional(),
  dependencies: byName,
  optionalDependencies: byName,
  peerDependencies: byName,
  devDependencies: byName,
  peerDependenciesMeta: z
    .record(z.string(), z.looseObject({ optional: z.boolean().optional() }))
    .optional(),
  bundleDependencies: z.unknown().optional(),
  bundledDependencies: z.unknown().optional(),
  bin: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
  directories: z.looseObject({ bin: z.string().optional() }).optional(),
  scripts: byName,
  engines: byName,
  os: list,
  cpu: list,
  libc: list,
  description: shown(z.string()),
  keywords: shown(list),
  license: shown(z.union([z.string(), z.looseObject({ type: z.string() })])),
  homepage: shown(z.string()),
  author: shown(z.union([z.string(), z.looseObject({ name: z.string() })])),
  repository: shown(z.union([z.string(), z.looseObject({ url: z.string() })])),
  bugs: shown(z.union([z.string(), z.looseObject({})])),
  funding: shown(z.union([z.string(), z.looseObject({}), z.array(z.unknown())])),
});

/** What the registry says of a version by itself. `_…` is for what a client or a registry adds, too. */
const registryFields = new Set([
  "dist",
  "deprecated",
  "hasInstallScript",
  "maintainers",
  "readme",
  "readmeFilename",
  "bundledDependencies",
  "bundleDependencies",
  "private",
]);

/** A `package.json` as the registry serves it: checked, and without what only the registry says. */
export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly dependencies?: Dependencies;
  readonly optionalDependencies?: Dependencies;
  readonly peerDependencies?: Dependencies;
  readonly bin?: Commands;
  readonly [field: string]: unknown;
}

/** Reads and checks a `package.json`, for a package with files at these paths. */
export function packageManifest(
  bytes: Uint8Array,
  paths: readonly string[],
  limits: PackageLimits,
): PackageManifest {
  const fields = parsed(bytes, limits);
  packageName(fields.name);
  packageVersion(fields.version);
  if (fields.private !== undefined && fields.private !== false)
    throw refusal(
      "package-private",
      'package.json says "private". Take the field away to publish the package.',
    );
  checkScripts(fields.scripts ?? {}, paths);
  checkDependencies(fields);
  checkBundle(fields.bundleDependencies ?? fields.bundledDependencies);
  const bin = commandsOf(fields, paths);
  const kept = Object.entries(fields).filter(
    ([field, value]) =>
      value !== undefined &&
      field !== "bin" &&
      !field.startsWith("_") &&
      !registryFields.has(field),
  );
  return {
    name: fields.name,
    version: fields.version,
    ...Object.fromEntries(kept),
    ...(Object.keys(bin).length > 0 && { bin }),
  };
}

function parsed(bytes: Uint8Array, limits: PackageLimits): z.infer<typeof packageJson> {
  if (bytes.length > limits.packageJson)
    throw refusal(
      "package-json-invalid",
      `package.json has ${bytes.length} bytes; this hub takes at most ${limits.packageJson}.`,
    );
  const { value, problem } = readJson(bytes);
  if (problem !== undefined)
    throw refusal("package-json-invalid", `package.json cannot be read. ${problem}`);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refusal("package-json-invalid", "package.json is not an object.");
  const result = packageJson.safeParse(value);
  if (result.success) return result.data;
  throw refusal(
    "package-json-field",
    `package.json has fields that no client could read:\n${z.prettifyError({ issues: result.error.issues.slice(0, 10) })}`,
  );
}

/** What npm, pnpm and Yarn run when a package comes from a registry. `prepare` and the rest run for its author alone. */
function checkScripts(scripts: Readonly<Record<string, string>>, paths: readonly string[]): void {
  const script = ["preinstall", "install", "postinstall"].find((name) => name in scripts);
  const file = paths.find((path) => /^(?:binding\.gyp$|\.hooks\/)/i.test(path));
  if (script === undefined && file === undefined) return;
  const what = script === undefined ? `the file ${file}` : `the script ${script}`;
  throw refusal(
    "install-script",
    `Installing the package would run code, because of ${what}. Build before you publish, and take it away.`,
  );
}

function checkBundle(bundle: unknown): void {
  const isEmpty =
    bundle === undefined ||
    bundle === null ||
    bundle === false ||
    (typeof bundle === "object" && Object.keys(bundle).length === 0);
  if (!isEmpty)
    throw refusal(
      "dependency-bundled",
      "package.json bundles dependencies. No audit and no lockfile sees what a package brings along: list them only.",
    );
}
