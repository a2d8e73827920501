import type { FastifyRequest } from "fastify";

import { type Identity, requirePublisher } from "../../identity/request/identity.ts";
import { quoted, refusal } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { commandsOf } from "../tarball/bin.ts";
import { dependencyFields, type DependencyLists } from "../tarball/dependencies.ts";
import { tarballDigests, type TarballDigests } from "../tarball/digests.ts";
import { type InspectedPackage, packageContents } from "../tarball/inspect.ts";
import type { PackageLimits } from "../tarball/limits.ts";
import type { PackageManifest } from "../tarball/package-json.ts";
import type { PublishDocument, VersionClaim } from "./document.ts";

/** A valid package: the metadata of its publish document, and the contents of its tarball. */
export type PackageUpload = InspectedPackage & Omit<PublishDocument, "claim">;

/** Checks that the tarball is valid and that it matches its publish document. */
export async function inspectUpload(
  { claim, ...metadata }: PublishDocument,
  limits: PackageLimits,
): Promise<PackageUpload> {
  const digests = await tarballDigests(metadata.tarball);
  checkDigests(claim.dist ?? {}, digests);
  const contents = await packageContents(metadata.tarball, limits);
  if (contents.name !== metadata.name)
    throw refusal(
      "document-name",
      `The document names the package ${metadata.name}, but package.json in the tarball names ${contents.name}. Publish from the package's folder.`,
    );
  if (contents.version !== metadata.version)
    throw refusal(
      "document-version",
      `The document has the version ${metadata.version}, but package.json in the tarball has ${contents.version}. Publish from the package's folder.`,
    );
  checkAgreement(claim, contents.manifest);
  return { ...metadata, ...contents, ...digests };
}

function checkDigests(
  claimed: {
    readonly integrity?: string | null | undefined;
    readonly shasum?: string | null | undefined;
  },
  { integrity, shasum }: TarballDigests,
): void {
  const sha1 = `sha1-${Buffer.from(shasum, "hex").toString("base64")}`;
  const hashes = (claimed.integrity ?? "").split(/\s+/).filter((hash) => hash !== "");
  const isEqual =
    hashes.every((hash) => !/^sha(?:1|512)-/.test(hash) || [integrity, sha1].includes(hash)) &&
    (claimed.shasum ?? shasum).toLowerCase() === shasum;
  if (isEqual) return;
  throw refusal(
    "integrity-mismatch",
    `The tarball's hashes differ from those in the document: its integrity is ${integrity}, and its shasum is ${shasum}. Publish it again.`,
  );
}

/**
 * Rejects a document whose dependencies or commands differ from package.json in the tarball. Clients rewrite some of
 * them: Yarn 1 removes optional dependencies from `dependencies` and scoped names from `bin`; pnpm and Yarn 4 do not
 * expand `directories.bin`. So the document may lack commands, but it may not add any.
 */
function checkAgreement(claim: VersionClaim, manifest: PackageManifest): void {
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

interface PublisherHook {
  /** Rejects a client that may not publish before its body, which can be large, is read. */
  readonly onRequest: (request: FastifyRequest) => Promise<void>;
  /** The identity that `onRequest` identified. */
  readonly publisherOf: (request: FastifyRequest) => Identity;
}

/** Identifies the clients of a route that publishes or stages. */
export function publisherHook(hub: Hub): PublisherHook {
  const publishers = new WeakMap<FastifyRequest, Identity>();
  return {
    async onRequest(request) {
      publishers.set(request, await requirePublisher(hub, request));
    },
    publisherOf(request) {
      const publisher = publishers.get(request);
      if (publisher === undefined) throw new Error("The route lacks the publisher's onRequest.");
      return publisher;
    },
  };
}
