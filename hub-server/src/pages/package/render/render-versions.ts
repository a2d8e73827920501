import { setTimeout as sleep } from "node:timers/promises";

import type { FastifyInstance } from "fastify";
import semver from "semver";

import { compareVersions } from "../../../api/compare-versions.ts";
import { packageDetail } from "../../../api/package-detail.ts";
import { versionDetail } from "../../../api/version-detail.ts";
import type { Hub } from "../../../platform/hub/hub.ts";
import { sourceOf } from "../files/source.tsx";
import { readmeOf } from "../overview/readme-of.ts";
import { comparedFiles } from "../versions/compared-files.ts";
import type { Renderer } from "./renderer.ts";
import { dropOldRenderings } from "./stored-renderings.ts";

/** Rendering waits until no package has changed for this time, */
const quietMs = 5000;
/** but at most this long. */
const maxDelayMs = 60_000;
/** Between two versions, so that a long queue does not slow requests. */
const pauseMs = 100;
/** Larger files, and files after the first ones, are rendered when a visitor opens them. */
const maxFileBytes = 64 * 1024;
const maxFiles = 20;

interface Rendering {
  readonly hub: Hub;
  readonly renderer: Renderer;
}

/**
 * Renders the README, the first files and the differences to the version before it, for each version in the queue, one task at
 * a time, so that a visitor's task waits for at most one. The queue is a table: a hub that stops continues at its next start.
 */
export async function renderVersions(
  rendering: Rendering,
  isClosing = (): boolean => false,
): Promise<void> {
  const { database, log } = rendering.hub;
  while (!isClosing()) {
    const newest = database
      .selectFrom("unrendered_versions")
      .select(({ fn }) => fn.max("version_id").as("id"));
    const next = await database
      .selectFrom("versions")
      .where("id", "=", newest)
      .select(["id", "package_id", "version"])
      .executeTakeFirst();
    if (next === undefined) return;
    try {
      await renderVersion(rendering, next);
    } catch (error) {
      log.warn({ err: error, version: next.id }, "cannot render a version in advance");
    }
    if (isClosing()) return;
    await database.deleteFrom("unrendered_versions").where("version_id", "=", next.id).execute();
    await sleep(pauseMs);
  }
}

async function renderVersion(
  rendering: Rendering,
  { package_id, version }: { readonly package_id: number; readonly version: string },
): Promise<void> {
  const { database, clock } = rendering.hub;
  const package_ = await database
    .selectFrom("packages")
    .where("id", "=", package_id)
    .selectAll()
    .executeTakeFirstOrThrow();
  const detail = await packageDetail(database, package_, clock());
  const shown = await versionDetail(database, package_, { versionOrTag: version, origin: "" });
  // The version was unpublished.
  if (shown === undefined) return;
  const view = { package: package_, detail, version: shown };
  await readmeOf(rendering.renderer, view);
  const files = shown.files.filter(({ size }) => size <= maxFileBytes);
  for (const file of files.slice(0, maxFiles)) await sourceOf(rendering, view, file);
  const from = detail.versions.find((other) => semver.lt(other.version, version));
  if (from === undefined) return;
  const comparison = await compareVersions(database, package_, { from: from.version, to: version });
  if (comparison !== undefined) await comparedFiles(rendering, package_, comparison);
}

/** Renders published versions in the background while the hub runs, and closes the renderer with it. */
export function renderInBackground(app: FastifyInstance, rendering: Rendering): void {
  const { hub, renderer } = rendering;
  let isClosing = false;
  let timer: NodeJS.Timeout | undefined;
  let latest = Number.POSITIVE_INFINITY;
  let current: Promise<void> = Promise.resolve();
  const run = (): void => {
    latest = Number.POSITIVE_INFINITY;
    current = current
      .then(() => renderVersions(rendering, () => isClosing))
      .then(() => dropOldRenderings(hub))
      .catch((error: unknown) => {
        if (!isClosing) hub.log.error({ err: error }, "rendering failed");
      });
  };
  const schedule = (): void => {
    const now = performance.now();
    latest = Math.min(latest, now + maxDelayMs);
    clearTimeout(timer);
    timer = setTimeout(run, Math.max(0, Math.min(quietMs, latest - now))).unref();
  };
  hub.onInvalidate(schedule);
  app.addHook("onReady", async () => schedule());
  app.addHook("onClose", async () => {
    isClosing = true;
    clearTimeout(timer);
    await renderer.close();
    await current;
  });
}
