import { extname } from "node:path";

import type { FastifyInstance, FastifyReply } from "fastify";

import { versionsOf } from "../../../api/package-versions.ts";
import { storedFiles } from "../../../packages/files/stored-files.ts";
import { notFound } from "../../../platform/errors/hub-error.ts";
import { packageRoute } from "../../../platform/http/package-route.ts";
import type { Hub } from "../../../platform/hub/hub.ts";
import { packagePage, packageTab } from "../package-page.tsx";
import { filesPath, packagePath, packageView } from "../package-view.ts";
import type { Renderer } from "../render/renderer.ts";
import { textOf } from "./file-text.ts";
import { Folder } from "./folder.tsx";
import { Source, sourceOf } from "./source.tsx";

interface FileParams {
  readonly version: string;
  readonly "*"?: string;
}

/** Images that a README may contain. An SVG cannot run its scripts, because the response has a sandbox. */
const imageTypes: Readonly<Record<string, string>> = {
  ".avif": "image/avif",
  ".gif": "image/gif",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
};

/** Registers the folders, files and bytes of a version. */
export function filePages(app: FastifyInstance, hub: Hub, renderer: Renderer): void {
  packageRoute(app, "GET /package/:package/files", async (name, request, reply) => {
    const { version } = await packageView(hub, { request, reply }, { name });
    return reply.redirect(filesPath(name, version.version), 303);
  });
  for (const after of ["/files/:version", "/files/:version/*"])
    packageTab(app, hub, {
      after,
      async content(name, visit) {
        const { version, "*": path = "" } = visit.request.params as FileParams;
        const view = await packageView(hub, visit, { name, version });
        const plain = path.replace(/\/+$/, "");
        const file = view.version.files.find((entry) => entry.path === plain);
        const isFolder = view.version.files.some((entry) => entry.path.startsWith(`${plain}/`));
        if (file === undefined && !isFolder && plain !== "")
          throw notFound(`${plain.slice(0, 300)} in ${name}@${view.version.version}`);
        return packagePage(view, {
          tab: "files",
          title: plain === "" ? "Files" : plain,
          children:
            file === undefined ? (
              <Folder view={view} path={plain} />
            ) : (
              <Source view={view} source={await sourceOf({ hub, renderer }, view, file)} />
            ),
        });
      },
    });
  rawFiles(app, hub);
}

function rawFiles(app: FastifyInstance, hub: Hub): void {
  packageRoute(app, "GET /package/:package/raw/:version/*", async (name, request, reply) => {
    const { version, "*": path = "" } = request.params as FileParams;
    const view = await packageView(hub, { request, reply }, { name, version });
    const [row] = await versionsOf(hub.database, view.package.id, view.version.version);
    const content = row === undefined ? undefined : (await storedFiles(hub, row.id)).get(path);
    if (content === undefined)
      throw notFound(`${path.slice(0, 300)} in ${packagePath(name)}@${version}`);
    return sendBytes(reply, path, content);
  });
}

/** Sends a file of an untrusted package: never as a page of this hub, and without permission to do anything. */
function sendBytes(reply: FastifyReply, path: string, content: Buffer): FastifyReply {
  const image = imageTypes[extname(path).toLowerCase()];
  const isText = textOf(content) !== undefined;
  return reply
    .type(image ?? (isText ? "text/plain; charset=utf-8" : "application/octet-stream"))
    .header("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
    .header("cache-control", "private, max-age=3600")
    .header("content-disposition", image === undefined && !isText ? "attachment" : "inline")
    .send(content);
}
