import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Browsers cannot send their own headers with a WebSocket, so the page authenticates by this cookie. */
const cookieName = "envs_key";

/** Checks the API key of requests. A server without a key allows all requests. */
export class Access {
  readonly #key: string | undefined;

  constructor(key: string | undefined) {
    this.#key = key;
  }

  /** Whether a request has the key: as `Authorization: Bearer …`, as `X-API-Key`, or by the cookie of this server's page. */
  allows(headers: IncomingHttpHeaders): boolean {
    if (this.#key === undefined) return true;
    const { authorization, "x-api-key": apiKey, cookie } = headers;
    const bearer = /^Bearer (?<token>.+)$/iu.exec(authorization ?? "");
    const key = bearer ? bearer.groups!.token : apiKey;
    if (typeof key === "string") return this.isKey(key);
    return isOwnPage(headers) && this.#isCookieValue(cookieIn(cookie));
  }

  isKey(key: string): boolean {
    return this.#key === undefined || isEqual(key, this.#key);
  }

  /** The `Set-Cookie` header for a browser whose user has entered the key. */
  cookie(isSecure: boolean): string {
    const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
    return `${cookieName}=${this.#cookieValue()}; ${attributes}`;
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

/** Browsers send our cookie for pages of other ports of this machine too, since they are the same site. */
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
