import { Secret, TOTP } from "otpauth";

const period = 30;
/** Accepts one step before and after, for clocks that are half a minute off. */
const window = 1;

/** Makes a secret for an authenticator app in base 32: 160 bits, as RFC 4226 recommends. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** The `otpauth:` URL that an authenticator app scans. */
export function totpAddress(secret: string, of: { readonly name: string; readonly hub: string }) {
  return totp(secret, of).toString();
}

/** The time step of a code, or undefined if the code is wrong. */
export function totpStep(
  secret: string,
  { code, now }: { readonly code: string; readonly now: Date },
): number | undefined {
  const timestamp = now.getTime();
  const delta = totp(secret).validate({ token: code, timestamp, window });
  return delta === null ? undefined : Math.floor(timestamp / 1000 / period) + delta;
}

function totp(secret: string, of?: { readonly name: string; readonly hub: string }): TOTP {
  return new TOTP({
    algorithm: "SHA1",
    digits: 6,
    period,
    secret: Secret.fromBase32(secret),
    ...(of === undefined ? {} : { issuer: of.hub, label: of.name }),
  });
}
