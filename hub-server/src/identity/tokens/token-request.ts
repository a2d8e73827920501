import { isIP } from "node:net";

import * as z from "zod";

import { HubError } from "../../platform/errors/hub-error.ts";
import { isAccountName } from "../../platform/names/account-name.ts";
import { isDependencyName } from "../../platform/names/package-name.ts";
import type { NewToken } from "./tokens.ts";

const permission = z.enum(["no-access", "read-only", "read-write", "read-write-stage-only"]);
const names = z.array(z.string().max(214)).max(100).nullish();

/** The body with which npm and pnpm ask for a token. */
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

/** What a request for a token asks for, in the hub's words. What the hub cannot hold a token to is refused. */
export function requestedToken(body: TokenRequest): Omit<NewToken, "userId" | "now"> & {
  readonly days: number | undefined;
} {
  const held = permissionOf(body);
  const isForNone = held === "no-access";
  const scopes = [...(body.scopes ?? []), ...(body.orgs ?? [])].map(checkedScope);
  const packages = (body.packages ?? []).map(checkedPackage);
  const isForAll =
    !isForNone && (body.packages_all === true || packages.length + scopes.length === 0);
  return {
    name: body.name ?? "",
    description: body.description ?? "",
    readonly: body.readonly === true || held === "read-only" || isForNone,
    bypassesSecondFactor: body.bypass_2fa ?? false,
    cidrWhitelist: (body.cidr_whitelist ?? []).map(checkedRange),
    packages: isForAll ? null : packages,
    scopes: isForAll ? null : scopes,
    days: body.expires ?? undefined,
  };
}

/** A token has one permission here: an organisation is the scope of its name. */
function permissionOf(body: TokenRequest): z.output<typeof permission> | undefined {
  const ofPackages = body.packages_and_scopes_permission ?? undefined;
  const ofOrganisations = body.orgs?.length ? (body.orgs_permission ?? undefined) : undefined;
  const held = ofPackages ?? ofOrganisations;
  if (ofOrganisations !== undefined && ofOrganisations !== held)
    throw invalid(
      "has two permissions. This hub gives a token one: make two tokens, or ask for the same twice",
    );
  if (held === "read-write-stage-only")
    throw invalid(
      "is for staging alone, which this hub does not have. Ask for read-write, or set up trusted publishing",
    );
  return held;
}

function checkedPackage(name: string): string {
  if (isDependencyName(name)) return name;
  throw invalid(`is for ${JSON.stringify(name)}, which is not a package's name`);
}

function checkedScope(text: string): string {
  const scope = text.replace(/^@/, "");
  if (isAccountName(scope)) return scope;
  throw invalid(`is for ${JSON.stringify(text)}, which is not a scope`);
}

function checkedRange(range: string): string {
  const [network = "", prefix, ...rest] = range.split("/");
  const most = isIP(network) === 6 ? 128 : 32;
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= most);
  if (isIP(network) !== 0 && isPrefix && rest.length === 0) return range;
  throw invalid(
    `is for the addresses ${JSON.stringify(range)}, which is not a range such as 192.0.2.0/24`,
  );
}

function invalid(problem: string): HubError {
  return new HubError("token-request", { message: `The token asked for ${problem}.` });
}
