import type { TestHub, TestUser } from "./hub.ts";

/** A package's document as a client reads it before a change. */
export interface PackageDocument {
  readonly _id: string;
  readonly _rev: string;
  readonly versions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly "dist-tags": Readonly<Record<string, string>>;
  readonly users: Readonly<Record<string, boolean>>;
  readonly maintainers: readonly { readonly name: string; readonly email: string }[];
}

/** Reads the document as npm does: `GET /@scope%2fname?write=true`. */
export async function readDocument(
  server: TestHub,
  name: string,
  as?: TestUser,
): Promise<PackageDocument> {
  const response = await server.request(`/${escapedName(name)}?write=true`, { as });
  if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
  return (await response.json()) as PackageDocument;
}

/** Sends a document to the package, or to one of its revisions. */
export async function sendDocument(
  server: TestHub,
  name: string,
  { document, rev, as }: { document: unknown; rev?: string; as: TestUser },
): Promise<Response> {
  const path = `/${escapedName(name)}${rev === undefined ? "" : `/-rev/${rev}`}`;
  return await server.request(path, { method: "PUT", body: document, as });
}

/** A scoped name as npm writes it in a URL: `@scope%2fname`. */
export function escapedName(name: string): string {
  return name.replace("/", "%2f");
}
