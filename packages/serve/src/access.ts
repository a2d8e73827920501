import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Where a browser keeps that it knows the key: it cannot send headers of its own with a WebSocket. */
const cookieName = "envs_key";

/** Who may use a server: whoever knows its key, or everybody if it has none. */
export class Access {
  readonly #key: string | undefined;

  constructor(key: string | undefined) {
    this.#key = key;
  }

  /** Whether a request shows the key: as `Authorization: Bearer …`, as `X-API-Key`, or by the cookie of a page of ours. */
  allows(headers: IncomingHttpHeaders): boolean {
    if (this.#key === undefined) return true;
    const { authorization, "x-api-key": plain, cookie } = headers;
    const bearer = /^Bearer (?<sent>.+)$/iu.exec(authorization ?? "");
    const sent = bearer ? bearer.groups!.sent : plain;
    if (typeof sent === "string") return this.isKey(sent);
    return isOwnPage(headers) && this.#isProof(cookieOf(cookie));
  }

  isKey(sent: string): boolean {
    return this.#key === undefined || isSame(sent, this.#key);
  }

  /** A `Set-Cookie` for a browser whose user has typed the key. */
  cookie(isSecure: boolean): string {
    const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
    return `${cookieName}=${this.#proof()}; ${attributes}`;
  }

  #isProof(sent: string | undefined): boolean {
    return sent !== undefined && isSame(sent, this.#proof());
  }

  /** Shows that the key was known, without being it. */
  #proof(): string {
    return createHmac("sha256", this.#key ?? "")
      .update(cookieName)
      .digest("base64url");
  }
}

/** Other pages make browsers send our cookie, too: another port of the same machine is the same site. */
function isOwnPage({ origin, host, "x-forwarded-host": forwarded }: IncomingHttpHeaders): boolean {
  if (origin === undefined) return true;
  // No page can make a browser send the second: it is a proxy's.
  return URL.canParse(origin) && [host, forwarded].includes(new URL(origin).host);
}

function cookieOf(cookies = ""): string | undefined {
  const all = cookies.split(";").map((each) => each.trim().split("=", 2));
  return all.find(([name]) => name === cookieName)?.[1];
}

function isSame(sent: string, expected: string): boolean {
  const [left, right] = [Buffer.from(sent), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
