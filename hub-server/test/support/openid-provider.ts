import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import { type AccountClaims, Provider } from "oidc-provider";

import type { Browser } from "./browser.ts";

/** An OpenID provider on loopback, with a log-in page that accepts any password. */
export interface OpenIdProvider extends AsyncDisposable {
  readonly url: string;
  /** Lets the hub be its client. */
  register(redirectUri: string): void;
  /** The claims of an account, by the name that the user enters. */
  readonly claims: Map<string, Partial<AccountClaims>>;
}

export const clientId = "hub";
export const clientSecret = "a-secret-of-the-hub";

/** Starts a provider. Its clients come later, because the hub's URL is known only after its start. */
export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  let listener: RequestListener | undefined;
  const server = createServer((request, response) => listener?.(request, response));
  server.listen(0, "localhost");
  await once(server, "listening");
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const claims: OpenIdProvider["claims"] = new Map();
  return {
    url,
    claims,
    register(redirectUri) {
      const client = { client_id: clientId, client_secret: clientSecret };
      const provider = new Provider(url, {
        clients: [{ ...client, redirect_uris: [redirectUri] }],
        claims: {
          openid: ["sub"],
          email: ["email", "email_verified"],
          profile: ["name", "preferred_username"],
        },
        findAccount: (_, id) => ({
          accountId: id,
          claims: () => ({ ...claims.get(id), sub: id }),
        }),
        cookies: { keys: ["a key of a test"] },
      });
      listener = provider.callback();
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Fills in the provider's pages: the log-in, the consent, and the end of another account's session. */
export async function logInAtProvider(tab: Browser, login: string): Promise<void> {
  for (let step = 0; step < 6 && tab.page.path.startsWith("http"); step += 1) {
    const [, prompt] = /name="prompt" value="([^"]*)"/.exec(tab.page.html) ?? [];
    const [, action = ""] = / action="([^"]*)"/.exec(tab.page.html) ?? [];
    if (prompt === undefined) await tab.press("Continue");
    else await tab.send(action, { fields: { prompt, login, password: "any" } });
  }
}
