import semver from "semver";
import * as z from "zod";

import type { Signer } from "../packages/signatures/sign.ts";
import { invalid } from "./request.ts";

const version = z.looseObject({
  name: z.string(),
  version: z.string(),
  dist: z.looseObject({
    tarball: z.url({ protocol: /^https?$/ }),
    integrity: z.string().optional(),
    shasum: z
      .string()
      .regex(/^[0-9a-f]{40}$/)
      .optional(),
  }),
});

/** A version of an upstream's package: its package.json, and the hashes and path of its tarball. */
export type UpstreamVersion = z.output<typeof version>;

const document = z.looseObject({
  name: z.string(),
  "dist-tags": z.record(z.string(), z.string()).default({}),
  versions: z.record(z.string(), z.unknown()).default({}),
  time: z.record(z.string(), z.unknown()).default({}),
});

/** The packument of an upstream's package with the parts that this hub serves. */
export type UpstreamDocument = z.output<typeof document> & {
  readonly versions: Readonly<Record<string, UpstreamVersion>>;
};

/** The hashes of a version's tarball. */
export interface Pin {
  readonly integrity?: string | undefined;
  readonly shasum?: string | undefined;
}

/** Fields that this hub serves. Others, such as `_attachments`, describe the upstream. */
const fields =
  "name dist-tags versions time description keywords license author homepage repository bugs maintainers readme readmeFilename".split(
    " ",
  );

/**
 * Parses a packument. Omits versions without a valid number, name or hash. A version keeps the hashes that the hub received
 * first (`pins`): if the upstream now has others, the result has the version as in `previous`, or omits it, and `changed` lists it.
 */
export function parseDocument(
  bytes: Buffer,
  {
    name,
    previous,
    pins,
    sign,
  }: {
    readonly name: string;
    readonly previous: UpstreamDocument | undefined;
    readonly pins: ReadonlyMap<string, Pin>;
    readonly sign: Signer;
  },
): { readonly document: UpstreamDocument; readonly changed: readonly string[] } {
  const parsed = document.safeParse(parseJson(bytes, name));
  if (!parsed.success) throw invalid(`the document of ${name} is not a packument`);
  const received = parsed.data;
  if (received.name !== name)
    throw invalid(
      `the document of ${name} names the package ${JSON.stringify(received.name.slice(0, 250))}`,
    );
  const changed: string[] = [];
  const versions = Object.entries(received.versions).flatMap(([number, value]) => {
    const each = versionOf(value, name, number);
    if (each === undefined) return [];
    const before = previous?.versions[number];
    const isSame = [before?.dist, pins.get(number)].every(
      (pin) => pin === undefined || isSameContent(pin, each.dist),
    );
    if (isSame) return [[number, signed(each, before, sign)] as const];
    changed.push(number);
    return before === undefined ? [] : [[number, before] as const];
  });
  const kept = Object.fromEntries(
    Object.entries(received).filter(([field]) => fields.includes(field)),
  );
  return {
    document: {
      ...kept,
      ...pickTags(
        received,
        versions.map(([number]) => number),
      ),
      name,
      versions: Object.fromEntries(versions),
    },
    changed,
  };
}

function pickTags(
  { "dist-tags": tags, time }: z.output<typeof document>,
  numbers: readonly string[],
): Pick<UpstreamDocument, "dist-tags" | "time"> {
  const known = new Set(numbers);
  return {
    "dist-tags": Object.fromEntries(Object.entries(tags).filter(([, number]) => known.has(number))),
    time,
  };
}

/** The version with this hub's signature, because clients verify with the keys of this hub. Keeps that of `before`. */
function signed(
  each: UpstreamVersion,
  before: UpstreamVersion | undefined,
  sign: Signer,
): UpstreamVersion {
  const { name, version, dist } = each;
  const integrity = sha512Of(dist);
  if (integrity === undefined) return { ...each, dist: { ...dist, signatures: [] } };
  const isSigned = before !== undefined && sha512Of(before.dist) === integrity;
  const signatures = isSigned ? before.dist["signatures"] : sign({ name, version, integrity });
  return { ...each, dist: { ...dist, signatures } };
}

function parseJson(bytes: Buffer, name: string): unknown {
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch {
    throw invalid(`the document of ${name} is not JSON`);
  }
}

function versionOf(value: unknown, name: string, number: string): UpstreamVersion | undefined {
  const { data } = version.safeParse(value);
  const isValid =
    data?.name === name &&
    data.version === number &&
    semver.valid(number) === number.split("+")[0] &&
    (sha512Of(data.dist) !== undefined || data.dist.shasum !== undefined);
  return isValid ? data : undefined;
}

/** The SHA-512 of a version as a subresource integrity string; `undefined` for old packages, which have a SHA-1. */
export function sha512Of({ integrity = "" }: Pin): string | undefined {
  return integrity.split(/\s+/).find((hash) => /^sha512-[A-Za-z0-9+/]{86}==$/.test(hash));
}

/** Whether both are hashes of the same bytes. Hashes of different kinds are not comparable, so not the same. */
export function isSameContent(a: Pin, b: Pin): boolean {
  const [first, second] = [sha512Of(a), sha512Of(b)];
  if (first !== undefined && second !== undefined) return first === second;
  return a.shasum !== undefined && a.shasum === b.shasum;
}
