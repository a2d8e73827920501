import { isIP } from "node:net";

import * as z from "zod";

import { HubError } from "../../platform/errors/hub-error.ts";
import { isAccountName } from "../../platform/names/account-name.ts";
import { isDependencyName } from "../../platform/names/package-name.ts";
import type { NewToken } from "./tokens.ts";

const permission = z.enum(["no-access", "read-only", "read-write", "read-write-stage-only"]);
const names = z.array(z.string().max(214)).max(100).nullish();

/** The body of npm's and pnpm's request for a token. */
export const tokenRequest = z.looseObject({
  name: z.string().max(200).nullish(),
  password: z.string().max(1000).nullish(),
  description: z.string().max(1000).nullish(),
  expires: z.coerce.number().int().min(1).max(3650).nullish(),
  packages: names,
  packages_all: z.boolean().nullish(),
  scopes: names,
  orgs: names,
  packages_and_scopes_permission: permission.nullish(),
  orgs_permission: permission.nullish(),
  cidr_whitelist: z.array(z.string().max(50)).max(100).nullish(),
  bypass_2fa: z.boolean().nullish(),
  readonly: z.boolean().nullish(),
});
type TokenRequest = z.output<typeof tokenRequest>;

/** Translates npm's request into token options. Throws `token-request` for limits that the hub does not support. */
export function requestedToken(body: TokenRequest): Omit<NewToken, "userId" | "now"> & {
  readonly days: number | undefined;
} {
  const requested = permissionOf(body);
  const isWithoutAccess = requested === "no-access";
  const scopes = [...(body.scopes ?? []), ...(body.orgs ?? [])].map(checkedScope);
  const packages = (body.packages ?? []).map(checkedPackage);
  const isForAll =
    !isWithoutAccess && (body.packages_all === true || packages.length + scopes.length === 0);
  return {
    name: body.name ?? "",
    description: body.description ?? "",
    readonly: body.readonly === true || requested === "read-only" || isWithoutAccess,
    bypassesSecondFactor: body.bypass_2fa ?? false,
    cidrWhitelist: (body.cidr_whitelist ?? []).map(checkedRange),
    packages: isForAll ? null : packages,
    scopes: isForAll ? null : scopes,
    days: body.expires ?? undefined,
  };
}

/** The hub's tokens have one permission for packages and organisations; an organisation counts as the scope of its name. */
function permissionOf(body: TokenRequest): z.output<typeof permission> | undefined {
  const ofPackages = body.packages_and_scopes_permission ?? undefined;
  const ofOrganisations = body.orgs?.length ? (body.orgs_permission ?? undefined) : undefined;
  const requested = ofPackages ?? ofOrganisations;
  if (ofOrganisations !== undefined && ofOrganisations !== requested)
    throw invalid(
      "different permissions for packages and organisations. Request the same permission for both, or create two tokens",
    );
  if (requested === "read-write-stage-only")
    throw invalid(
      "the permission read-write-stage-only, which this hub does not support. Request read-write, or set up trusted publishing",
    );
  return requested;
}

function checkedPackage(name: string): string {
  if (isDependencyName(name)) return name;
  throw invalid(`the package ${JSON.stringify(name)}, which is not a valid package name`);
}

function checkedScope(text: string): string {
  const scope = text.replace(/^@/, "");
  if (isAccountName(scope)) return scope;
  throw invalid(`the scope ${JSON.stringify(text)}, which is not a valid scope`);
}

function checkedRange(range: string): string {
  const [network = "", prefix, ...rest] = range.split("/");
  const maxPrefix = isIP(network) === 6 ? 128 : 32;
  const isPrefix =
    prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= maxPrefix);
  if (isIP(network) !== 0 && isPrefix && rest.length === 0) return range;
  throw invalid(
    `the IP range ${JSON.stringify(range)}, which is not in CIDR form such as 192.0.2.0/24`,
  );
}

function invalid(problem: string): HubError {
  return new HubError("token-request", { message: `The request names ${problem}.` });
}
