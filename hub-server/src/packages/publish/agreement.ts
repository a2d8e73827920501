import { quoted, refusal } from "../../platform/errors/refusal.ts";
import { commandsOf } from "../tarball/bin.ts";
import { dependencyFields, type DependencyLists } from "../tarball/dependencies.ts";
import type { PackageManifest } from "../tarball/package-json.ts";
import type { VersionClaim } from "./document.ts";

/**
 * Refuses a document that promises other dependencies or commands than its tarball holds. Clients rewrite some of it:
 * Yarn 1 takes out of `dependencies` what is optional, and out of `bin` what has a scope; pnpm and Yarn 4 leave
 * `directories.bin` to those who install. Commands may therefore be missing in a document, but none may be added.
 */
export function checkAgreement(claim: VersionClaim, manifest: PackageManifest): void {
  const claimed = withoutDoubles(claim);
  const packed = withoutDoubles(manifest);
  for (const field of dependencyFields)
    for (const name of Object.keys({ ...claimed[field], ...packed[field] }))
      compare(`${field}.${name}`, own(claimed[field], name), own(packed[field], name));
  const { bin = {} } = manifest;
  const commands = commandsOf({ name: manifest.name, bin: claim.bin ?? undefined }, []);
  for (const [name, path] of Object.entries(commands)) compare(`bin.${name}`, path, own(bin, name));
}

type Lists = Readonly<Record<keyof DependencyLists, Readonly<Record<string, string>>>>;

/** A package that is optional is listed under `dependencies` as well, for old clients. */
function withoutDoubles(fields: {
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
  const says = (value: string | undefined) =>
    value === undefined ? "is missing" : `is ${quoted(value)}`;
  throw refusal(
    "document-differs",
    `${field.slice(0, 250)} ${says(claimed)} in the document and ${says(packed)} in the tarball's package.json. Publish with npm, pnpm or Yarn, from the folder.`,
  );
}
