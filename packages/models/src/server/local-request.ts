import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";

/**
 * Why a server without a key must reject a request, as a sentence for the client; `undefined` if it may serve it. Every web
 * page that a user visits can send requests to the user's own machine: across sites, and under the page's own name once
 * that name resolves to this machine (DNS rebinding). Only pages of this server, and clients that are not browsers, pass.
 *
 * `allowedHosts` are names under which clients reach the server, besides `localhost` and IP addresses.
 */
export function foreignRequestProblem(
  headers: IncomingHttpHeaders,
  allowedHosts: readonly string[] = [],
): string | undefined {
  const { host, origin, "x-forwarded-host": forwarded } = headers;
  if (host !== undefined && !isOwnName(host, allowedHosts))
    return `This server has no API key, so it does not serve the host ${quoteHeader(host)}: use localhost or an IP address. To allow the name, restart the server with the option --allowed-host or with an API key.`;
  if (isCrossSite(headers) || isForeign(origin, { hosts: [host, forwarded], allowedHosts }))
    return `This server has no API key, so it does not serve pages of other sites${origin === undefined ? "" : ` (${quoteHeader(origin)})`}. To allow the page's host, restart the server with the option --allowed-host or with an API key.`;
  return undefined;
}

/** An attacker can have any DNS name, but no page can have the IP address of this machine. */
function isOwnName(host: string, allowedHosts: readonly string[]): boolean {
  const name = hostnameOf(`http://${host}`);
  if (name === undefined) return false;
  return isLoopbackName(name) || isIP(name) !== 0 || isListed(name, allowedHosts);
}

function isLoopbackName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost");
}

function isListed(name: string, allowedHosts: readonly string[]): boolean {
  return allowedHosts.some((allowed) => allowed.toLowerCase() === name);
}

/** The name or address in a URL, without brackets. */
function hostnameOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  return new URL(url).hostname.replaceAll(/^\[|\]$/gu, "");
}

/** A proxy sets X-Forwarded-Host; a page cannot make a browser send it. */
function isForeign(
  origin: string | undefined,
  own: {
    readonly hosts: readonly (string | readonly string[] | undefined)[];
    readonly allowedHosts: readonly string[];
  },
): boolean {
  if (origin === undefined) return false;
  if (!URL.canParse(origin)) return true;
  const { host, hostname } = new URL(origin);
  return !own.hosts.includes(host) && !isListed(hostname, own.allowedHosts);
}

/** Browsers send no origin when a page embeds an image or a script, but say that the page is of another site. */
function isCrossSite({
  origin,
  "sec-fetch-site": site,
  "sec-fetch-mode": mode,
}: IncomingHttpHeaders): boolean {
  if (origin !== undefined || mode === "navigate") return false;
  return site === "cross-site" || site === "same-site";
}

function quoteHeader(value: string): string {
  return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
}
