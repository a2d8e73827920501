import { isIP } from "node:net";

import * as z from "zod";

import { modelsFile } from "./models-file.ts";
import { oidcIssuers } from "./oidc-issuers.ts";
import { signInProviders } from "./sign-in-providers.ts";
import { upstreams, upstreamTokens } from "./upstreams.ts";

const upTo = (max: number) => z.coerce.number().int().min(0).max(max);
const bytes = z.coerce.number().int().positive();
const count = z.coerce.number().int().positive();
const flag = z.enum(["true", "false"]).transform((value) => value === "true");

/** Whether the text is an IP address, a CIDR range, or one of Fastify's names for ranges. */
function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.trim().split("/");
  if (/^(?:loopback|linklocal|uniquelocal)$/.test(text.trim())) return true;
  const maxPrefix = isIP(address) === 6 ? 128 : 32;
  const isPrefix =
    prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= maxPrefix);
  return isIP(address) !== 0 && isPrefix && rest.length === 0;
}

/** The hub's settings by environment variable, with their schema, default and description. */
export const settings = z.object({
  HUB_PORT: upTo(65_535).default(4873).describe("Port to listen on (0 for any)"),
  HUB_HOST: z
    .string()
    .default("localhost")
    .describe("Address to listen on (0.0.0.0 for all interfaces)"),
  HUB_URL: z
    .url({ protocol: /^https?$/ })
    .refine(
      (url) => new URL(url).pathname === "/",
      "npm clients need a hub at the root of its host",
    )
    .transform((url) => new URL(url).origin)
    .optional()
    .describe("Public URL of the hub, if it runs behind a proxy"),
  HUB_DATA: z
    .string()
    .min(1)
    .default("hub-data")
    .describe("Folder for the embedded database and the blobs"),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe("URL of a PostgreSQL server to use instead of the embedded database"),
  DATABASE_CONNECTIONS: count
    .max(1000)
    .default(10)
    .describe("Maximum PostgreSQL connections per process"),
  HUB_BLOBS: z
    .url({ protocol: /^s3$/ })
    .optional()
    .describe(
      "S3-compatible store to use instead of files: s3://bucket/prefix?region=…&endpoint=…; credentials in AWS_* variables",
    ),
  HUB_REGISTRATION: z
    .enum(["closed", "invite", "open"])
    .default("invite")
    .describe("Whether visitors can create an account"),
  HUB_SIGN_IN_PROVIDERS: signInProviders
    .optional()
    .describe(
      "GitHub and OpenID providers with which users sign in: <id> <issuer URL> <client id> <client secret or file:<path>> [<label>], …",
    ),
  HUB_TERMS: z
    .string()
    .transform((text, context) => {
      const [, version, url] = /^(\S{1,40})\s+(https?:\/\/\S+)$/.exec(text.trim()) ?? [];
      if (version !== undefined && url !== undefined) return { version, url };
      const message = "expected a version and a URL: 2026-12-01 https://example.com/terms";
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    })
    .optional()
    .describe(
      "Version and URL of the terms that users accept before their next change: 2026-12-01 https://example.com/terms; a new version asks all users again",
    ),
  HUB_SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe(
      "SMTP server that sends e-mail: smtp://user:password@host:587, or smtps://… for TLS from the first byte; needs HUB_MAIL_FROM and HUB_URL",
    ),
  HUB_MAIL_FROM: z
    .string()
    .regex(
      /^(?:[^<>\r\n]+ <[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/,
      "expected an address such as Envs <hub@example.com>",
    )
    .optional()
    .describe("Sender of the hub's e-mail: Envs <hub@example.com>"),
  HUB_TRUST_PROXY: z
    .string()
    .refine(
      (text) => text.split(",").every(isNetwork),
      "expected comma-separated addresses such as 10.0.0.0/8",
    )
    .optional()
    .describe(
      "Addresses (CIDR, comma-separated) of proxies whose X-Forwarded-* headers the hub trusts",
    ),
  HUB_SIGSTORE_ROOT: z
    .string()
    .min(1)
    .optional()
    .describe("Path of Sigstore's trusted_root.json; without it, the hub rejects provenance"),
  HUB_OIDC_ISSUERS: oidcIssuers
    .optional()
    .describe(
      "Issuers that trusted publishing accepts instead of github.com, gitlab.com and circleci.com: <type> <issuer URL> <JWKS URL>, …",
    ),
  HUB_UPSTREAM: upstreams
    .optional()
    .describe(
      "Registries and hubs whose packages the hub proxies or mirrors: proxy <URL> <@scope or name or *> … !<own @scope>, …",
    ),
  HUB_UPSTREAM_TOKENS: upstreamTokens
    .optional()
    .describe(
      "Tokens for upstreams: <host> <token>, …; only users of this hub can read packages of such an upstream",
    ),
  HUB_UPSTREAM_SECONDS: count
    .default(300)
    .describe("Seconds after which the hub asks an upstream for new versions of a package"),
  HUB_UPSTREAM_BYTES: bytes
    .default(64 * 2 ** 20)
    .describe("Maximum size of a tarball of an upstream"),
  HUB_UPSTREAM_TIMEOUT: count
    .default(120)
    .describe("Seconds in which an upstream must send a whole tarball"),
  HUB_LOG: z
    .enum(["silent", "error", "warn", "info", "debug"])
    .default("info")
    .describe("Log level"),
  HUB_METRICS: flag.default(true).describe("Whether to serve /metrics"),
  HUB_TARBALL_BYTES: bytes.default(20 * 2 ** 20).describe("Maximum size of a packed tarball"),
  HUB_UNPACKED_BYTES: bytes.default(200 * 2 ** 20).describe("Maximum size of an unpacked tarball"),
  HUB_FILES: count.default(10_000).describe("Maximum number of files in a tarball"),
  HUB_OWNER_BYTES: bytes
    .optional()
    .describe(
      "Maximum total size of the tarballs and runs of one user or organisation (if unset: 5 GiB with HUB_REGISTRATION=open, else unlimited)",
    ),
  HUB_NEW_ACCOUNT_DAYS: upTo(365)
    .default(7)
    .describe(
      "Days during which a new account has a tenth of the limits of packages, versions, runs, organisations, invitations and reports, with HUB_REGISTRATION=open",
    ),
  HUB_DELETION_DAYS: upTo(90)
    .default(7)
    .describe("Days in which users who delete their account keep it by signing in"),
  HUB_PACKAGES_PER_WEEK: count
    .default(200)
    .describe("Maximum number of new packages per user and week"),
  HUB_PUBLISHES_PER_HOUR: count
    .default(1000)
    .describe("Maximum number of versions per user and hour"),
  HUB_INVITATIONS_PER_DAY: count
    .default(100)
    .describe("Maximum invitations per user and day, except those of the hub's administrators"),
  HUB_REPORTS_PER_DAY: count
    .default(20)
    .describe("Maximum reports to the moderators per user and day"),
  HUB_RUN_BYTES: bytes
    .default(512 * 2 ** 20)
    .describe("Maximum size of the rollouts of one run, before compression"),
  HUB_RUN_ROLLOUTS: count.default(100_000).describe("Maximum number of rollouts of one run"),
  HUB_RUNS_PER_HOUR: count
    .default(200)
    .describe("Maximum number of evaluations and trainings per user and hour"),
  HUB_SEARCHES_PER_MINUTE: count
    .default(300)
    .describe("Maximum searches per client address and minute, in each process"),
  HUB_WRITES_PER_MINUTE: count
    .default(1200)
    .describe("Maximum changes per client address and minute, in each process"),
  HUB_REPLAY_SECONDS: upTo(86_400)
    .default(600)
    .describe(
      "Maximum seconds to replay one run through its published code, and at most a twentieth of them for one example (0 to replay none)",
    ),
  HUB_REPLAY_WORKERS: count
    .max(64)
    .default(2)
    .describe(
      "Maximum replays at once in each process; one user has all but one of them, so that others never wait for a slow bundle",
    ),
  HUB_REPLAY_OWNER_SECONDS: count
    .default(3600)
    .describe("Maximum seconds of replays for each user or organisation and day (UTC)"),
  HUB_PLAY_SECONDS: upTo(86_400)
    .default(1800)
    .describe("Maximum seconds to play one run again, on request of its owner (0 to play none)"),
  HUB_PLAY_WORKERS: count
    .max(64)
    .default(1)
    .describe("Maximum plays at once in each process, beside the replays"),
  HUB_PLAY_OWNER_SECONDS: count
    .default(3600)
    .describe("Maximum seconds of plays that each user may request a day (UTC)"),
  HUB_PLAY_ROLLOUTS: count.default(2000).describe("Maximum number of rollouts of one play"),
  HUB_MODELS: modelsFile
    .optional()
    .describe(
      "Path of a JSON file with the models on servers that plays may use, and what they cost",
    ),
  HUB_LIMITS: z
    .enum(["on", "off"])
    .default("on")
    .describe("Rate limits of logins, codes, searches and changes; turn off only for tests"),
  HUB_UNPUBLISH_HOURS: count
    .default(72)
    .describe(
      "Hours after publishing during which a version without dependents can be unpublished",
    ),
});

export type Settings = z.output<typeof settings>;
