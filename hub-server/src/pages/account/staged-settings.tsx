import type { FastifyInstance } from "fastify";

import { changedFiles } from "../../api/compare-versions.ts";
import { requireIdentity, requireWriter } from "../../identity/request/identity.ts";
import { requireSecondFactor } from "../../identity/second-factor/second-factor.ts";
import { filesOfBlob } from "../../packages/files/stored-files.ts";
import { authorize } from "../../packages/publish/publish.ts";
import { approveStaged, inspectStaged, rejectStaged } from "../../packages/stage/decide.ts";
import { requireStaged, stagedPage } from "../../packages/stage/staged.ts";
import type { PackagedFile } from "../../packages/tarball/inspect.ts";
import type { Database } from "../../platform/database/tables.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { formPage } from "../layout/form-page.ts";
import type { DoneQuery } from "../layout/handle-change.tsx";
import { requireSession } from "../layout/require-session.ts";
import type { Renderer } from "../package/render/renderer.ts";
import { comparedContents } from "../package/versions/compared-files.ts";
import { sendSettings } from "./settings.tsx";
import { StagedList } from "./staged-list.tsx";
import { StagedPage } from "./staged-version.tsx";

const section = "/settings/staged";
const perPage = 100;
const notices: Readonly<Record<string, string>> = {
  approved: "Version published.",
  rejected: "Version rejected. Its number can be used again.",
};

/** Registers the pages that list staged versions, show what is in one, and approve or reject it. */
export function stagedSettings(app: FastifyInstance, hub: Hub, renderer: Renderer): void {
  app.get<DoneQuery>(section, async (request, reply) => {
    const visitor = await requireSession(hub, request, reply);
    const identity = await requireIdentity(hub, request);
    const { items } = await stagedPage(hub.database, identity, { page: 0, perPage });
    const notice = notices[request.query.done ?? ""];
    const children = <StagedList items={items} />;
    return sendSettings(reply, visitor, { section, notice, children });
  });

  const addForm = formPage<{ readonly id: string }>(app, hub, {
    path: `${section}/:id`,
    notices: {},
    async show(visitor, reply, { id, ...feedback }) {
      const identity = await requireIdentity(hub, visitor.request);
      const staged = await requireStaged(hub.database, identity, { id, action: "read" });
      const upload = await inspectStaged(hub, staged);
      const latest = await latestFiles(hub.database, staged.packageId);
      const old = new Set<object>(latest?.files);
      const changes = changedFiles([...(latest?.files ?? []), ...upload.files], (file) =>
        old.has(file) ? "old" : "new",
      );
      const diffs =
        latest === undefined
          ? []
          : await comparedContents(renderer, changes, {
              before: { integrity: latest.blob, files: await filesOfBlob(hub, latest.blob) },
              after: { integrity: staged.blob, files: await filesOfBlob(hub, staged.blob) },
            });
      return sendSettings(reply, visitor, {
        section,
        title: `${staged.name}@${staged.version}`,
        children: <StagedPage {...{ staged, upload, diffs, base: latest?.version }} />,
        ...feedback,
      });
    },
  });

  addForm("/approve", async ({ request }, { id }) => {
    const identity = await requireWriter(hub, request);
    const staged = await requireStaged(hub.database, identity, { id, action: "approve" });
    const right = await authorize(hub, request, identity, staged.name);
    await approveStaged(hub, { identity, staged, right });
    return `${section}?done=approved`;
  });

  addForm("/reject", async ({ request }, { id }) => {
    const identity = await requireWriter(hub, request);
    const staged = await requireStaged(hub.database, identity, { id, action: "reject" });
    await requireSecondFactor(hub, request, identity);
    await rejectStaged(hub, { identity, staged });
    return `${section}?done=rejected`;
  });
}

type HashedFile = Pick<PackagedFile, "path" | "size" | "sha256">;

/** The version that `latest` points to. */
interface LatestVersion {
  readonly version: string;
  readonly blob: string;
  readonly files: readonly HashedFile[];
}

/** The version with the tag `latest`, and its files; undefined if the package does not exist yet. */
async function latestFiles(
  database: Database,
  packageId: number | null,
): Promise<LatestVersion | undefined> {
  if (packageId === null) return undefined;
  const latest = await database
    .selectFrom("dist_tags")
    .innerJoin("versions", "versions.id", "dist_tags.version_id")
    .where("dist_tags.package_id", "=", packageId)
    .where("tag", "=", "latest")
    .select(["versions.id", "versions.version", "versions.blob"])
    .executeTakeFirst();
  if (latest === undefined) return undefined;
  const files = await database
    .selectFrom("files")
    .where("version_id", "=", latest.id)
    .select(["path", "size", "sha256"])
    .execute();
  return { ...latest, files };
}
