import type { Hub } from "../../platform/hub/hub.ts";
import type { FoundUpstream } from "../../upstream/find-upstream.ts";
import { upstreamPackage } from "../../upstream/packument.ts";
import { type Encoding, represent, type Representation } from "../responses/representation.ts";
import type { DocumentForm } from "./forms.ts";

/** Makes the response for a package of an upstream. `Cache-Status` (RFC 9211) has a negative `ttl` if the upstream fails. */
export async function representUpstream(
  hub: Hub,
  {
    upstream,
    name,
    form,
    origin,
    encoding,
  }: {
    readonly upstream: FoundUpstream;
    readonly name: string;
    readonly form: DocumentForm;
    readonly origin: string;
    readonly encoding: Encoding;
  },
): Promise<Representation> {
  const { document, freshSeconds } = await upstreamPackage(hub, upstream, name);
  const modified = new Date(String(document.time["modified"]));
  const representation = await represent({
    document: form.ofUpstream(document, origin),
    type: form.type,
    encoding,
    source: {
      name,
      access: upstream.isPublic ? "public" : "restricted",
      modified_at: Number.isNaN(modified.getTime()) ? new Date(0) : modified,
      archived_at: null,
    },
  });
  const ttl = Math.round(freshSeconds);
  return {
    ...representation,
    headers: { ...representation.headers, "cache-status": `envs-hub; hit; ttl=${ttl}` },
  };
}
