import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

import { foreignRequestProblem } from "@envs/models/server";

/** Browsers cannot send their own headers with a WebSocket, so the page authenticates by this cookie. */
const cookieName = "envs_key";

/** Why a request is rejected. */
export interface AccessProblem {
  readonly status: 401 | 403;
  readonly detail: string;
}

/** Options of {@link Access}. */
export interface AccessOptions {
  readonly key?: string | undefined;
  /** Names under which clients reach a server without a key, besides `localhost` and IP addresses. */
  readonly allowedHosts?: readonly string[] | undefined;
}

/** Decides which requests are served. With a key, the key decides; without one, pages of other sites are rejected. */
export class Access {
  readonly #key: string | undefined;
  readonly #allowedHosts: readonly string[];

  constructor({ key, allowedHosts = [] }: AccessOptions) {
    this.#key = key;
    this.#allowedHosts = allowedHosts;
  }

  problem(headers: IncomingHttpHeaders): AccessProblem | undefined {
    if (this.#key === undefined) {
      const detail = foreignRequestProblem(headers, this.#allowedHosts);
      return detail === undefined ? undefined : { status: 403, detail };
    }
    return this.#hasKey(headers)
      ? undefined
      : {
          status: 401,
          detail: "The server's key is missing or wrong. Send it: Authorization: Bearer …",
        };
  }

  isKey(key: string): boolean {
    return this.#key === undefined || isEqual(key, this.#key);
  }

  /** The `Set-Cookie` header for a browser whose user has entered the key. */
  cookie(isSecure: boolean): string {
    const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
    return `${cookieName}=${this.#cookieValue()}; ${attributes}`;
  }

  /** Whether a request has the key: as `Authorization: Bearer …`, as `X-API-Key`, or by the cookie of this server's page. */
  #hasKey(headers: IncomingHttpHeaders): boolean {
    const { authorization, "x-api-key": apiKey, cookie } = headers;
    const bearer = /^Bearer (?<token>.+)$/iu.exec(authorization ?? "");
    const key = bearer ? bearer.groups!.token : apiKey;
    if (typeof key === "string") return this.isKey(key);
    return isOwnPage(headers) && this.#isCookieValue(cookieIn(cookie));
  }

  #isCookieValue(value: string | undefined): boolean {
    return value !== undefined && isEqual(value, this.#cookieValue());
  }

  /** Proves that the user knew the key, and does not contain it. */
  #cookieValue(): string {
    return createHmac("sha256", this.#key ?? "")
      .update(cookieName)
      .digest("base64url");
  }
}

/** Whether a request is from a page of this server: browsers also send our cookie from pages of other ports. */
function isOwnPage({ origin, host, "x-forwarded-host": forwarded }: IncomingHttpHeaders): boolean {
  if (origin === undefined) return true;
  // A proxy sets X-Forwarded-Host; a page cannot make a browser send it.
  return URL.canParse(origin) && [host, forwarded].includes(new URL(origin).host);
}

function cookieIn(header = ""): string | undefined {
  const cookies = header.split(";").map((cookie) => cookie.trim().split("=", 2));
  return cookies.find(([name]) => name === cookieName)?.[1];
}

function isEqual(value: string, expected: string): boolean {
  const [left, right] = [Buffer.from(value), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
