import { type Signer, signerOf } from "../packages/signatures/sign.ts";
import type { Row } from "../platform/database/tables.ts";
import { HubError, notFound } from "../platform/errors/hub-error.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { parseDocument, type Pin, type UpstreamDocument } from "./document.ts";
import type { FoundUpstream } from "./find-upstream.ts";
import { requestUpstream, unavailable, type UpstreamResponse } from "./request.ts";

type Source = Pick<FoundUpstream, "origin">;

/** A package of an upstream. */
export interface UpstreamPackage {
  readonly document: UpstreamDocument;
  /** Seconds for which the document is current; negative if it is older and the upstream does not respond. */
  readonly freshSeconds: number;
}

const maxBytes = 128 * 2 ** 20;
const timeoutMs = 30_000;
/** How long the hub remembers that an upstream lacks a package. */
const missingSeconds = 60;

const pending = new WeakMap<Hub, Map<string, Promise<UpstreamPackage>>>();

/**
 * Returns the packument of an upstream's package: the stored one while it is current, otherwise the upstream's, or the stored
 * one if the upstream fails. Concurrent calls share a request. Throws `not-found` if the upstream lacks the package.
 */
export async function upstreamPackage(
  hub: Hub,
  upstream: Source,
  name: string,
  {
    isFresh = false,
  }: {
    /** Asks the upstream even if the stored one is current. */ readonly isFresh?: boolean;
  } = {},
): Promise<UpstreamPackage> {
  const calls = pending.get(hub) ?? new Map<string, Promise<UpstreamPackage>>();
  pending.set(hub, calls);
  const shared = calls.get(name);
  if (shared !== undefined && !isFresh) return await shared;
  const call = read(hub, upstream, name, isFresh);
  calls.set(name, call);
  try {
    return await call;
  } finally {
    if (calls.get(name) === call) calls.delete(name);
  }
}

async function read(
  hub: Hub,
  upstream: Source,
  name: string,
  isFresh: boolean,
): Promise<UpstreamPackage> {
  const row = await hub.database
    .selectFrom("upstream_packages")
    .where("name", "=", name)
    .where("origin", "=", upstream.origin)
    .selectAll()
    .executeTakeFirst();
  const age = row && (hub.clock().getTime() - row.checked_at.getTime()) / 1000;
  const maxAge = row?.document === null ? missingSeconds : hub.settings.HUB_UPSTREAM_SECONDS;
  if (row !== undefined && age !== undefined && age < maxAge && !isFresh)
    return fromRow(row, maxAge - age);
  try {
    const response = await requestUpstream(hub, upstream, {
      path: `/${name.replace("/", "%2f")}`,
      accept: "application/json",
      etag: row?.document === null ? undefined : (row?.etag ?? undefined),
      maxBytes,
      timeoutMs,
    });
    // Without permission, the upstream hides packages that it may still have.
    if (
      ![200, 304, 404, 410].includes(response.status) &&
      !isQuarantined(response) &&
      row?.document != null
    )
      throw unavailable(upstream.origin, `it responds with ${response.status}`);
    return await store(hub, { upstream, name, response });
  } catch (error) {
    const isUpstreamError =
      error instanceof HubError &&
      (error.code === "upstream-unavailable" || error.code === "upstream-invalid");
    if (!isUpstreamError || row?.document == null || isFresh) throw error;
    hub.log.warn({ err: error, package: name }, "serving a stored document of an upstream");
    return fromRow(row, maxAge - (age ?? maxAge) - 1);
  }
}

/** Whether the moderators of an upstream hub have quarantined the package, which must not be installed from here either. */
function isQuarantined({ status, bytes }: UpstreamResponse): boolean {
  return status === 403 && bytes.includes('"package-quarantined"');
}

function fromRow(
  { name, document }: Row<"upstream_packages">,
  freshSeconds: number,
): UpstreamPackage {
  if (document === null) throw notFound(name);
  return { document: JSON.parse(document) as UpstreamDocument, freshSeconds };
}

/** Stores a response. Replicas that receive different ones lock the row, so that both keep the hashes of the first. */
async function store(
  hub: Hub,
  {
    upstream: { origin },
    name,
    response,
  }: { readonly upstream: Source; readonly name: string; readonly response: UpstreamResponse },
): Promise<UpstreamPackage> {
  const checkedAt = hub.clock();
  // The first signature creates the hub's key in another transaction.
  const sign = await signerOf(hub);
  const row = await hub.database.transaction().execute(async (transaction) => {
    await transaction
      .insertInto("upstream_packages")
      .values({ name, origin, etag: null, document: null, checked_at: new Date(0) })
      .onConflict((conflict) => conflict.column("name").doNothing())
      .execute();
    const stored = await transaction
      .selectFrom("upstream_packages")
      .where("name", "=", name)
      .forUpdate()
      .selectAll()
      .executeTakeFirstOrThrow();
    const tarballs = await transaction
      .selectFrom("upstream_tarballs")
      .where("name", "=", name)
      .select(["version", "integrity", "shasum"])
      .execute();
    const pins = new Map(tarballs.map(({ version, ...pin }) => [version, pin]));
    const next = {
      origin,
      ...update(hub, { origin, response, stored, pins, sign }),
      checked_at: checkedAt,
    };
    await transaction.updateTable("upstream_packages").where("name", "=", name).set(next).execute();
    return { ...stored, ...next };
  });
  return fromRow(row, hub.settings.HUB_UPSTREAM_SECONDS);
}

interface Received {
  readonly origin: string;
  readonly response: UpstreamResponse;
  readonly stored: Row<"upstream_packages">;
  readonly pins: ReadonlyMap<string, Pin>;
  readonly sign: Signer;
}

/** The columns that a response changes. */
function update(
  { log }: Hub,
  {
    origin,
    response: { status, etag, bytes },
    stored: { name, document: text },
    pins,
    sign,
  }: Received,
): Partial<Row<"upstream_packages">> {
  if (status === 304) return {};
  if (status !== 200) return { etag: null, document: null };
  const previous = text === null ? undefined : (JSON.parse(text) as UpstreamDocument);
  const { document, changed } = parseDocument(bytes, { name, previous, pins, sign });
  if (changed.length > 0)
    log.error(
      { event: "upstream.changed", package: name, origin, versions: changed.slice(0, 20) },
      "an upstream has changed tarballs; the hub keeps the hashes that it received first",
    );
  return { etag, document: JSON.stringify(document) };
}
