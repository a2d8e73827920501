import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply } from "fastify";

const folder = fileURLToPath(new URL("dist/", import.meta.resolve("@envs/docs/package.json")));

/** The policy of pages: scripts and styles only from files. Examples run in a frame, whose document has its own policy. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** The policy of the page in which examples run: an opaque origin, without access to the hub or other servers. */
const sandboxPolicy = [
  "sandbox allow-scripts",
  "default-src 'none'",
  "script-src 'self' blob: 'unsafe-eval'",
  "worker-src blob:",
  "frame-ancestors 'self'",
].join("; ");

/** Serves the documentation, a folder of static files, under `/docs`. */
export async function documentationRoutes(app: FastifyInstance): Promise<void> {
  if (!existsSync(join(folder, "index.html"))) return missingSite(app);
  await app.register(
    async (docs) => {
      // Links of the site are relative to `/docs/`, with a slash.
      docs.get("/", (request, reply) =>
        request.url.startsWith("/docs/")
          ? reply.sendFile("index.html")
          : reply.redirect("/docs/", 301),
      );
      docs.setNotFoundHandler(async (_request, reply) => reply.code(404).sendFile("404.html"));
      await docs.register(fastifyStatic, {
        root: folder,
        extensions: ["html"],
        redirect: true,
        preCompressed: true,
        cacheControl: false,
        setHeaders: (reply, path) => setHeaders(reply, path.slice(folder.length)),
      });
    },
    { prefix: "/docs" },
  );
}

function setHeaders(reply: FastifyReply, path: string): void {
  const isImmutable = /^(?:play\/)?assets\//.test(path);
  void reply.headers({
    "cache-control": isImmutable ? "public, max-age=31536000, immutable" : "public, max-age=300",
    "referrer-policy": "same-origin",
  });
  const policy = policyOf(path);
  if (policy !== undefined) void reply.header("content-security-policy", policy);
}

/** The policy of a file. Workers inherit the policy of their script's response, so scripts get none. */
function policyOf(path: string): string | undefined {
  if (path === "sandbox.html") return sandboxPolicy;
  // These two files contain their policies; this header adds the directives that only a header can have.
  if (path === "play/sandbox.html") return "sandbox allow-scripts; frame-ancestors 'self'";
  if (path === "play/tictactoe.html") return "frame-ancestors 'self'";
  return path.endsWith(".html") ? pagePolicy : undefined;
}

/** Explains that a clone has no site until it is built. Packages from a registry contain the site. */
function missingSite(app: FastifyInstance): void {
  app.get("/docs", (_request, reply) =>
    reply
      .code(404)
      .type("text/plain; charset=utf-8")
      .send(
        "The documentation is not built. Run `npx -y pnpm@12 run docs` in the clone, and start the hub again.\n",
      ),
  );
}
