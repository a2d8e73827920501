import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The user who is logged in at the site. */
export interface GithubUser {
  readonly id: number;
  readonly login: string;
  readonly name: string | null;
  readonly emails: readonly {
    readonly email: string;
    readonly primary: boolean;
    readonly verified: boolean;
  }[];
}

/** A site with GitHub's OAuth endpoints and the two routes of its API for a user. */
export interface Github extends AsyncDisposable {
  readonly url: string;
  /** Undefined: the user denies access. */
  user: GithubUser | undefined;
}

/** Starts the site. Its authorization page logs in the current `user`. */
export async function startGithub(): Promise<Github> {
  const users = new Map<string, GithubUser>();
  const site: { user: GithubUser | undefined } = { user: undefined };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const json = (value: unknown): void =>
      void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify(value));
    if (pathname === "/login/oauth/authorize") {
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      const code = randomUUID();
      if (site.user === undefined) back.searchParams.set("error", "access_denied");
      else {
        back.searchParams.set("code", code);
        users.set(code, site.user);
      }
      back.searchParams.set("state", searchParams.get("state") ?? "");
      return void response.writeHead(302, { location: back.href }).end();
    }
    if (pathname === "/login/oauth/access_token") {
      let body = "";
      request.on("data", (chunk) => (body += String(chunk)));
      return void request.on("end", () => {
        const code = new URLSearchParams(body).get("code") ?? "";
        json({ access_token: code, token_type: "bearer", scope: "read:user,user:email" });
      });
    }
    const user = users.get((request.headers.authorization ?? "").replace(/^bearer /i, ""));
    if (user === undefined) return void response.writeHead(401).end();
    const { emails, ...profile } = user;
    json(pathname === "/api/v3/user/emails" ? emails : profile);
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  return Object.assign(site, {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  });
}
