import type { Configuration } from "openid-client";

import type { SignInProvider } from "../../platform/config/sign-in-providers.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";

const timeoutSeconds = 10;

/** The configurations of each hub's providers, by id. An OpenID provider describes itself once. */
const configurations = new WeakMap<Hub, Map<string, Promise<Configuration>>>();

/** Finds a provider of the settings; throws if the id is unknown. */
export function providerOf({ settings }: Hub, id: string): SignInProvider {
  const provider = settings.HUB_SIGN_IN_PROVIDERS?.find((each) => each.id === id);
  if (provider === undefined) throw notFound(`The sign-in provider ${id.slice(0, 50)}`);
  return provider;
}

/** The provider's endpoints, and the hub as its client. Asks an OpenID provider for its endpoints when they are needed first. */
export async function clientOf(hub: Hub, provider: SignInProvider): Promise<Configuration> {
  const cache = configurations.get(hub) ?? new Map<string, Promise<Configuration>>();
  configurations.set(hub, cache);
  const pending = cache.get(provider.id) ?? discover(provider);
  cache.set(provider.id, pending);
  try {
    return await pending;
  } catch (error) {
    cache.delete(provider.id);
    throw unavailable(hub, provider, error);
  }
}

/** GitHub does not support OpenID: its OAuth endpoints are fixed, also on GitHub Enterprise. */
export function isGithub({ id }: SignInProvider): boolean {
  return id === "github";
}

async function discover(provider: SignInProvider): Promise<Configuration> {
  const { allowInsecureRequests, ClientSecretPost, Configuration, discovery } =
    await import("openid-client");
  const { issuer, clientId, clientSecret } = provider;
  const isPlain = issuer.startsWith("http:");
  if (!isGithub(provider))
    return await discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: timeoutSeconds,
      execute: isPlain ? [allowInsecureRequests] : [],
    });
  const endpoints = {
    issuer: `${issuer}/login/oauth`,
    authorization_endpoint: `${issuer}/login/oauth/authorize`,
    token_endpoint: `${issuer}/login/oauth/access_token`,
  };
  const client = new Configuration(endpoints, clientId, {}, ClientSecretPost(clientSecret));
  client.timeout = timeoutSeconds;
  if (isPlain) allowInsecureRequests(client);
  return client;
}

/** Logs why a provider failed. Visitors receive only that it did. */
export function unavailable({ log }: Hub, { id, label }: SignInProvider, error: unknown): HubError {
  log.error({ err: error, provider: id }, "a sign-in provider failed");
  return new HubError("provider-unavailable", {
    message: `${label} did not answer as expected, so it could not sign you in. Try again in a minute, or sign in another way.`,
  });
}
