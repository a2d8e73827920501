import { createUser } from "@envs/hub-server/src/identity/accounts/create-user.ts";
import { createToken } from "@envs/hub-server/src/identity/tokens/tokens.ts";
import { TOTP } from "otpauth";

import { type Browser, browser } from "./browser.ts";
import type { TestHub, TestUser } from "./hub.ts";

export const password = "correct horse battery";

/** A user with a password. */
export interface Person extends TestUser {
  /** Resolves to a browser with a login session. */
  signIn(): Promise<Browser>;
}

/** Creates a user with a password and an unrestricted token. */
export async function makePerson(
  { hub, url }: TestHub,
  name: string,
  { isAdmin = false }: { readonly isAdmin?: boolean } = {},
): Promise<Person> {
  const id = await createUser(hub, { name, password, email: `${name}@example.com` });
  if (isAdmin)
    await hub.database
      .updateTable("users")
      .set({ is_admin: true })
      .where("account_id", "=", id)
      .execute();
  const { secret: token } = await createToken(hub.database, {
    userId: id,
    name: "made by a test",
    now: hub.clock(),
  });
  return {
    id,
    name,
    token,
    async signIn() {
      const tab = browser({ url });
      await tab.open("/sign-in");
      await tab.press("Sign in", { Name: name, Password: password });
      return tab;
    },
  };
}

/** An authenticator app. */
export interface Authenticator {
  /** The current code. The hub accepts each code once, so each call advances the hub's clock to the next one. */
  code(): string;
  readonly recoveryCodes: readonly string[];
}

/** Sets up a second factor, as `npm profile enable-2fa` does. */
export async function enableSecondFactor(
  server: TestHub,
  person: TestUser,
): Promise<Authenticator> {
  const post = async (tfa: unknown): Promise<{ readonly tfa: unknown }> => {
    const response = await server.request("/-/npm/v1/user", {
      method: "POST",
      as: person,
      body: { tfa },
    });
    return (await response.json()) as { readonly tfa: unknown };
  };
  const { tfa: address } = await post({ password, mode: "auth-and-writes" });
  const secret = new URL(String(address)).searchParams.get("secret") ?? "";
  const app = new TOTP({ secret });
  const code = (): string => {
    server.advanceClock(30_000);
    return app.generate({ timestamp: server.hub.clock().getTime() });
  };
  const { tfa: recoveryCodes } = await post([code()]);
  return { code, recoveryCodes: recoveryCodes as readonly string[] };
}
