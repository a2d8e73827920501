import type { IncomingHttpHeaders } from "node:http";

import { LRUCache } from "lru-cache";
import Negotiator from "negotiator";

/** In what form and encoding a client wants a packument. */
export interface Wish {
  readonly form: "full" | "abbreviated";
  readonly encoding: Encoding;
}

export type Encoding = "br" | "gzip" | "identity";

/** The type of an abbreviated packument; clients look at it. */
export const abbreviatedType = "application/vnd.npm.install-v1+json";

const encodings = ["br", "gzip", "identity"] as const;
const types = ["application/json", abbreviatedType];

/** Clients are few and always say the same. */
const heard = new LRUCache<string, Wish>({ max: 200 });

/** What a client's headers ask for; whoever asks for neither form gets the full one. */
export function wishOf(headers: IncomingHttpHeaders): Wish {
  const said = `${headers.accept ?? ""}\n${headers["accept-encoding"] ?? ""}`;
  const known = heard.get(said);
  if (known !== undefined) return known;
  const negotiator = new Negotiator({ headers });
  const wish: Wish = {
    form: negotiator.mediaType(types) === abbreviatedType ? "abbreviated" : "full",
    encoding: (negotiator.encoding(encodings) as Encoding | undefined) ?? "identity",
  };
  if (said.length < 1000) heard.set(said, wish);
  return wish;
}
