import * as z from "zod";

import { isPackageName } from "../names/package-name.ts";

/** Another registry or hub whose packages this hub serves. */
export interface Upstream {
  /** `proxy` copies a package when a client requests it; `mirror` follows the event feed of a hub and copies all. */
  readonly kind: "proxy" | "mirror";
  /** Without a path. The hub sends requests to no other origin. */
  readonly origin: string;
  /** Scopes such as `@envs`, names without a scope, or `*`. */
  readonly patterns: readonly string[];
}

/** The upstreams in the order in which the hub compares names with them, and the names that it never requests from them. */
export interface Upstreams {
  readonly list: readonly Upstream[];
  readonly ownPatterns: readonly string[];
}

const form =
  "separate entries with commas; an entry is `proxy <URL> <pattern> …` or `mirror <URL> <pattern> …`. A pattern is @scope, a name without a scope, or *; `!@scope` and `!name` are never requested from an upstream";

/** Parses a setting such as `mirror https://hub.example.com @envs, proxy https://packages.example.com * !@my-lab`. */
export const upstreams = z.string().transform((text, context): Upstreams => {
  const list: Upstream[] = [];
  const ownPatterns: string[] = [];
  for (const entry of text.split(",")) {
    const [kind, url, ...patterns] = entry.trim().split(/\s+/);
    const origin = originOf(url);
    const own = patterns.filter((each) => each.startsWith("!")).map((each) => each.slice(1));
    const served = patterns.filter((each) => !each.startsWith("!"));
    const isValid =
      (kind === "proxy" || kind === "mirror") &&
      served.length > 0 &&
      served.every((each) => each === "*" || isPattern(each)) &&
      own.every(isPattern);
    if (!isValid || origin === undefined) {
      context.addIssue({ code: "custom", message: form });
      return z.NEVER;
    }
    list.push({ kind, origin, patterns: served });
    ownPatterns.push(...own);
  }
  if (ownPatterns.length === 0 && list.some(({ patterns }) => patterns.includes("*")))
    context.addIssue({
      code: "custom",
      message:
        "an upstream with * also needs your own scopes, such as !@my-lab: otherwise, others could register your names there, and your users would install their packages",
    });
  return { list, ownPatterns };
});

/** Bearer tokens by the host of an upstream: `hub.example.com envh_…, packages.example.com:8443 npm_…`. */
export const upstreamTokens = z.string().transform((text, context): ReadonlyMap<string, string> => {
  const entries = text.split(",").map((entry) => entry.trim().split(/\s+/));
  if (entries.some((entry) => entry.length !== 2))
    // The message omits the value, which contains secrets.
    context.addIssue({
      code: "custom",
      message: "separate entries with commas; an entry is `<host> <token>`",
    });
  return new Map(entries.map(([host = "", token = ""]) => [host, token]));
});

/** A URL without a path, a query or credentials, over https; tests and private networks use http. */
function originOf(url: string | undefined): string | undefined {
  const parsed = url === undefined ? null : URL.parse(url);
  const isOrigin = parsed?.href === `${parsed?.origin}/`;
  return parsed !== null && isOrigin && /^https?:$/.test(parsed.protocol)
    ? parsed.origin
    : undefined;
}

function isPattern(text: string): boolean {
  return isPackageName(text.startsWith("@") && !text.includes("/") ? `${text}/x` : text);
}

/** The upstream that the settings name for a package. `isExplicit` if a pattern other than `*` matches. */
export function configuredUpstream(
  { list, ownPatterns }: Upstreams,
  name: string,
): { readonly upstream: Upstream; readonly isExplicit: boolean } | undefined {
  if (ownPatterns.some((pattern) => matches(pattern, name))) return undefined;
  const explicit = list.find(({ patterns }) => patterns.some((each) => matches(each, name)));
  if (explicit !== undefined) return { upstream: explicit, isExplicit: true };
  const upstream = list.find(({ patterns }) => patterns.includes("*"));
  return upstream && { upstream, isExplicit: false };
}

function matches(pattern: string, name: string): boolean {
  return pattern === name || (pattern.startsWith("@") && name.startsWith(`${pattern}/`));
}
