import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";
import * as z from "zod";

import { compareVersions } from "../../../api/compare-versions.ts";
import { notFound } from "../../../platform/errors/hub-error.ts";
import { packageRoute } from "../../../platform/http/package-route.ts";
import type { Hub } from "../../../platform/hub/hub.ts";
import { readRewardDiff } from "../../../rescoring/read-reward-diff.ts";
import { packagePage, packageTab } from "../package-page.tsx";
import { filesPath, packagePath, type PackageView, packageView } from "../package-view.ts";
import type { Renderer } from "../render/renderer.ts";
import { Changes } from "./changes.tsx";
import { type ComparedFile, comparedFiles, maxFiles } from "./compared-files.ts";
import { ComparisonForm } from "./comparison-form.tsx";
import { FileDiff } from "./file-diff.tsx";
import { Rewards } from "./rewards.tsx";

const choice = z.object({ from: z.string().min(1).max(256), to: z.string().min(1).max(256) });

/** Registers the comparison of two versions: options, scores, tools, and the files line by line. */
export function diffPage(app: FastifyInstance, hub: Hub, renderer: Renderer): void {
  packageRoute(app, "GET /package/:package/diff", (name, request, reply) => {
    const { success, data } = choice.safeParse(request.query);
    if (!success) throw notFound(`A comparison of ${name} without two versions`);
    const range = `${encodeURIComponent(data.from)}...${encodeURIComponent(data.to)}`;
    return reply.redirect(`${packagePath(name)}/diff/${range}`, 303);
  });
  packageTab(app, hub, {
    after: "/diff/:range",
    async content(name, visit) {
      const { range } = visit.request.params as { readonly range: string };
      const [, from = "", to = ""] = /^(.{1,256}?)\.\.\.(.{1,256})$/.exec(range) ?? [];
      const view = await packageView(hub, visit, { name, version: to });
      const comparison = await compareVersions(hub.database, view.package, { from, to });
      if (comparison === undefined) throw notFound(`${name} ${range.slice(0, 520)}`);
      const rewards = await readRewardDiff(hub, { packageId: view.package.id, ...comparison });
      const files = await comparedFiles({ hub, renderer }, view.package, comparison);
      const title = `From ${comparison.from} to ${comparison.to}`;
      return packagePage(view, {
        tab: "versions",
        title,
        children: (
          <div className="section">
            <h2>{title}</h2>
            <ComparisonForm view={view} from={comparison.from} to={comparison.to} />
            <Changes changes={comparison.manifest} />
            <Rewards comparison={rewards} changes={comparison.manifest} />
            <Files {...{ view, files, total: comparison.files.length }} />
          </div>
        ),
      });
    },
  });
}

function Files({
  view,
  files,
  total,
}: {
  readonly view: PackageView;
  readonly files: readonly ComparedFile[];
  readonly total: number;
}): ReactNode {
  if (total === 0) return <p className="empty">The files of these versions are the same.</p>;
  return (
    <>
      <p className="quiet">
        {total === 1 ? "1 file differs" : `${total.toLocaleString("en")} files differ`}
        {total > maxFiles && `; this page shows the first ${maxFiles}`}.
      </p>
      {files.map((file) => (
        <FileDiff
          key={file.path}
          file={file}
          files={filesPath(view.detail.name, view.version.version)}
        />
      ))}
    </>
  );
}
