import { requestedToken, tokenRequest } from "../../identity/tokens/token-request.ts";
import type { NewToken } from "../../identity/tokens/tokens.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { formFields, type SignedInVisitor } from "../layout/require-session.ts";

const fieldNames = ["name", "permission", "days", "targets", "cidr", "bypass"] as const;

/** The fields of the form for a new token, as text. */
export type TokenFields = Readonly<Record<(typeof fieldNames)[number], string>>;

/** The fields of an empty form. */
export const emptyToken: TokenFields = {
  name: "",
  permission: "",
  days: "",
  targets: "",
  cidr: "",
  bypass: "",
};

export function tokenFields({ request }: SignedInVisitor): TokenFields {
  return formFields(request, ...fieldNames);
}

/** Translates the form into token options, by the same rules as npm's request for a token. */
export function requestedByForm(fields: TokenFields, now: Date): Omit<NewToken, "userId" | "now"> {
  const targets = lines(fields.targets);
  const isScope = (target: string): boolean => target.startsWith("@") && !target.includes("/");
  const { data } = tokenRequest.safeParse({
    name: fields.name.trim(),
    expires: fields.days,
    packages: targets.filter((target) => !isScope(target)),
    scopes: targets.filter(isScope),
    packages_and_scopes_permission: fields.permission === "read-write" ? "read-write" : "read-only",
    cidr_whitelist: lines(fields.cidr),
    bypass_2fa: fields.bypass === "yes",
  });
  if (data === undefined || fields.name.trim() === "")
    throw new HubError("token-request", {
      message:
        "The token cannot be created with these values. It needs a name of at most 200 characters, 1 to 3650 days, and at most 100 packages, scopes and IP ranges.",
    });
  const { days = 90, ...options } = requestedToken(data);
  return { ...options, expiresAt: new Date(now.getTime() + days * 86_400_000) };
}

function lines(text: string): readonly string[] {
  return text
    .split(/[\s,]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
