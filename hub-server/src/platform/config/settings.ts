import { isIP } from "node:net";

import * as z from "zod";

import { oidcIssuers } from "./oidc-issuers.ts";

const port = z.coerce.number().int().min(0).max(65_535);
const bytes = z.coerce.number().int().positive();
const count = z.coerce.number().int().positive();
const flag = z.enum(["true", "false"]).transform((value) => value === "true");

/** An address, or a range of them; Fastify knows some by a name. */
function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.trim().split("/");
  if (/^(?:loopback|linklocal|uniquelocal)$/.test(text.trim())) return true;
  const most = isIP(address) === 6 ? 128 : 32;
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= most);
  return isIP(address) !== 0 && isPrefix && rest.length === 0;
}

/** Every setting of a hub: the variable that gives it, what it may be, what it is without one. */
export const settings = z.object({
  HUB_PORT: port.default(4873).describe("Port to listen on (0 for any)"),
  HUB_HOST: z
    .string()
    .default("localhost")
    .describe("Address to listen on (0.0.0.0: every network)"),
  HUB_URL: z
    .url({ protocol: /^https?$/ })
    .refine(
      (url) => new URL(url).pathname === "/",
      "npm clients need a hub at the root of its host",
    )
    .transform((url) => new URL(url).origin)
    .optional()
    .describe("The address that people use, if a proxy stands in front"),
  HUB_DATA: z
    .string()
    .min(1)
    .default("hub-data")
    .describe("Folder of the embedded database and of blobs"),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe("A PostgreSQL server, instead of the embedded database"),
  DATABASE_CONNECTIONS: count
    .max(1000)
    .default(10)
    .describe("Connections to PostgreSQL that one process keeps"),
  HUB_BLOBS: z
    .url({ protocol: /^s3$/ })
    .optional()
    .describe(
      "An S3-compatible store, instead of files: s3://bucket/prefix?region=…&endpoint=…; keys as AWS_* variables",
    ),
  HUB_REGISTRATION: z
    .enum(["closed", "invite", "open"])
    .default("invite")
    .describe("Who may make an account"),
  HUB_TRUST_PROXY: z
    .string()
    .refine((text) => text.split(",").every(isNetwork), "addresses such as 10.0.0.0/8, with commas")
    .optional()
    .describe("Addresses (CIDR, comma-separated) of proxies whose X-Forwarded-* headers count"),
  HUB_SIGSTORE_ROOT: z
    .string()
    .min(1)
    .optional()
    .describe("Path of a trusted_root.json of Sigstore; without it provenance is not taken"),
  HUB_OIDC_ISSUERS: oidcIssuers
    .optional()
    .describe(
      "Where trusted publishing believes id tokens, instead of github.com, gitlab.com or circleci.com: <type> <issuer> <JWKS address>, …",
    ),
  HUB_LOG: z
    .enum(["silent", "error", "warn", "info", "debug"])
    .default("info")
    .describe("How much is logged"),
  HUB_METRICS: flag.default(true).describe("Whether /metrics answers"),
  HUB_WEBHOOKS: z
    .enum(["public", "any"])
    .default("public")
    .describe("Where webhooks may lead: public addresses, or also those near the hub"),
  HUB_TARBALL_BYTES: bytes.default(20 * 2 ** 20).describe("The largest tarball, packed"),
  HUB_UNPACKED_BYTES: bytes.default(200 * 2 ** 20).describe("The largest tarball, unpacked"),
  HUB_FILES: count.default(10_000).describe("The most files in a tarball"),
  HUB_OWNER_BYTES: bytes
    .optional()
    .describe(
      "The most that all tarballs of one user or organisation may have; without it, no limit",
    ),
  HUB_PACKAGES_PER_WEEK: count
    .default(200)
    .describe("New package names that one user may take in a week"),
  HUB_PUBLISHES_PER_HOUR: count
    .default(1000)
    .describe("Versions that one user may publish in an hour"),
  HUB_SEARCHES_PER_MINUTE: count
    .default(300)
    .describe("Searches that one process answers to one address in a minute"),
  HUB_WRITES_PER_MINUTE: count
    .default(1200)
    .describe("Changes that one process takes from one address in a minute"),
  HUB_LIMITS: z
    .enum(["on", "off"])
    .default("on")
    .describe("Whether logins, codes, searches and changes are limited; off is for tests alone"),
  HUB_UNPUBLISH_HOURS: count
    .default(72)
    .describe("How long a version that nothing points at may be unpublished"),
});

export type Settings = z.output<typeof settings>;
