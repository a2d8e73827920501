import * as z from "zod";

import { refusal } from "../../platform/errors/hub-error.ts";
import { packageName } from "../../platform/names/package-name.ts";
import { packageVersion } from "../../platform/names/package-version.ts";
import { type Commands, commandsOf } from "./bin.ts";
import { checkDependencies, type Dependencies } from "./dependencies.ts";
import { readJson } from "./json.ts";
import type { PackageLimits } from "./limits.ts";

const textByName = z.record(z.string(), z.string()).optional();
const textList = z.union([z.string().transform((text) => [text]), z.array(z.string())]).optional();
/** A descriptive field. Like npm, the hub omits it if it has the wrong type. */
const lenient = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);

/** Checks installation fields: one of the wrong type makes clients fail on all versions of the package. */
const packageJson = z.looseObject({
  name: z.string(),
  version: z.string(),
  private: z.unknown().optional(),
  dependencies: textByName,
  optionalDependencies: textByName,
  peerDependencies: textByName,
  devDependencies: textByName,
  acceptDependencies: textByName,
  peerDependenciesMeta: z
    .record(z.string(), z.looseObject({ optional: z.boolean().optional() }))
    .optional(),
  bundleDependencies: z.unknown().optional(),
  bundledDependencies: z.unknown().optional(),
  bin: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
  directories: z.looseObject({ bin: z.string().optional() }).optional(),
  scripts: textByName,
  engines: textByName,
  os: textList,
  cpu: textList,
  libc: textList,
  description: lenient(z.string()),
  keywords: lenient(textList),
  license: lenient(z.union([z.string(), z.looseObject({ type: z.string() })])),
  homepage: lenient(z.string()),
  author: lenient(z.union([z.string(), z.looseObject({ name: z.string() })])),
  repository: lenient(z.union([z.string(), z.looseObject({ url: z.string() })])),
  bugs: lenient(z.union([z.string(), z.looseObject({})])),
  funding: lenient(z.union([z.string(), z.looseObject({}), z.array(z.unknown())])),
});

/** Fields that the registry sets. It removes them, and fields that begin with `_`, which clients and registries add. */
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

/** A checked `package.json`, without the fields that the registry sets. */
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

/** Parses and checks the `package.json` of a package that has files at these paths. */
export function packageManifest(
  bytes: Uint8Array,
  paths: readonly string[],
  limits: PackageLimits,
): PackageManifest {
  const fields = parse(bytes, limits);
  packageName(fields.name);
  packageVersion(fields.version);
  if (fields.private !== undefined && fields.private !== false)
    throw refusal(
      "package-private",
      'package.json is marked as private. Remove the field "private" to publish the package.',
    );
  checkScripts(fields.scripts ?? {}, paths);
  checkDependencies(fields);
  checkBundle(fields.bundleDependencies ?? fields.bundledDependencies);
  const bin = commandsOf(fields, paths);
  const manifestFields = Object.entries(fields).filter(
    ([field, value]) =>
      value !== undefined &&
      field !== "bin" &&
      !field.startsWith("_") &&
      !registryFields.has(field),
  );
  return {
    name: fields.name,
    version: fields.version,
    ...Object.fromEntries(manifestFields),
    ...(Object.keys(bin).length > 0 && { bin }),
  };
}

function parse(bytes: Uint8Array, limits: PackageLimits): z.infer<typeof packageJson> {
  if (bytes.length > limits.packageJson)
    throw refusal(
      "package-json-invalid",
      `package.json has ${bytes.length} bytes, more than the limit of ${limits.packageJson}. Shorten it.`,
    );
  const { value, problem } = readJson(bytes);
  if (problem !== undefined)
    throw refusal(
      "package-json-invalid",
      `package.json cannot be read. ${problem} Correct it and publish again.`,
    );
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refusal(
      "package-json-invalid",
      "package.json is not a JSON object. Correct it and publish again.",
    );
  const result = packageJson.safeParse(value);
  if (result.success) return result.data;
  throw refusal(
    "package-json-field",
    `package.json has fields of the wrong type, which clients cannot read. Correct them:\n${z.prettifyError({ issues: result.error.issues.slice(0, 10) })}`,
  );
}

/** Rejects the scripts that npm, pnpm and Yarn run when they install a package. `prepare` and others run only for the author. */
function checkScripts(scripts: Readonly<Record<string, string>>, paths: readonly string[]): void {
  const script = ["preinstall", "install", "postinstall"].find((name) => name in scripts);
  const file = paths.find((path) => /^(?:binding\.gyp$|\.hooks\/)/i.test(path));
  if (script === undefined && file === undefined) return;
  const cause = script === undefined ? `file ${file}` : `script ${script}`;
  throw refusal(
    "install-script",
    `Installing the package would run code, because it has the ${cause}. Remove it, and build before you publish.`,
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
      "package.json bundles dependencies, which audits and lockfiles do not cover. Remove bundleDependencies, and list the packages in dependencies.",
    );
}
