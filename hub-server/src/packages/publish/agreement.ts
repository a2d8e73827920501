import { quoted, refusal } from "../../platform/errors/refusal.ts";
import { commandsOf } from "../tarball/bin.ts";
import { dependencyFields, type DependencyLists } from "../tarball/dependencies.ts";
import type { PackageManifest } from "../tarball/package-json.ts";
import type { VersionClaim } from "./document.ts";

/**
 * Rejects a document whose dependencies or commands differ from package.json in the tarball. Clients rewrite some of
 * them: Yarn 1 removes optional dependencies from `dependencies` and scoped names from `bin`; pnpm and Yarn 4 do not
 * expand `directories.bin`. So the document may lack commands, but it may not add any.
 */
export function checkAgreement(claim: VersionClaim, manifest: PackageManifest): void {
  const claimed = withoutDuplicates(claim);
  const packed = withoutDuplicates(manifest);
  for (const field of dependencyFields)
    for (const name of Object.keys({ ...claimed[field], ...packed[field] }))
      compare(`${field}.${name}`, own(claimed[field], name), own(packed[field], name));
  const { bin = {} } = manifest;
  const commands = commandsOf({ name: manifest.name, bin: claim.bin ?? undefined }, []);
  for (const [name, path] of Object.entries(commands)) compare(`bin.${name}`, path, own(bin, name));
}

type Lists = Readonly<Record<keyof DependencyLists, Readonly<Record<string, string>>>>;

/** npm lists an optional dependency under `dependencies` as well, for old clients. */
function withoutDuplicates(fields: {
  readonly [Field in keyof DependencyLists]?: DependencyLists[Field] | null;
}): Lists {
  const optional = fields.optionalDependencies ?? {};
  const dependencies = Object.entries(fields.dependencies ?? {});
  return {
    dependencies: Object.fromEntries(
      dependencies.filter(([name]) => !Object.hasOwn(optional, name)),
    ),
    optionalDependencies: optional,
    peerDependencies: fields.peerDependencies ?? {},
  };
}

function own(record: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function compare(field: string, claimed: string | undefined, packed: string | undefined): void {
  if (claimed === packed) return;
  const describe = (value: string | undefined) =>
    value === undefined ? "is missing" : `is ${quoted(value)}`;
  throw refusal(
    "document-differs",
    `${field.slice(0, 250)} ${describe(claimed)} in the document and ${describe(packed)} in the tarball's package.json. Publish from the package's folder, with npm, pnpm or Yarn.`,
  );
}
