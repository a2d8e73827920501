import type { ReactNode } from "react";

import type { PackageUpload } from "../../packages/publish/inspect-upload.ts";
import type { requireStaged } from "../../packages/stage/staged.ts";
import { DateTime, Facts } from "../layout/elements.tsx";
import { Form } from "../layout/form.tsx";
import { bytesText } from "../package/package-view.ts";
import type { ComparedFile } from "../package/versions/compared-files.ts";
import { FileDiff } from "../package/versions/file-diff.tsx";

/** A staged version, its content, and what the visitor may do with it. */
export interface StagedView {
  readonly staged: Awaited<ReturnType<typeof requireStaged>>;
  readonly upload: PackageUpload;
  /** The version that the files are compared with. Undefined for the first one. */
  readonly base: string | undefined;
  /** The files that differ from `base`. */
  readonly diffs: readonly ComparedFile[];
}

/** The content of a staged version, with forms that approve or reject it. */
export function StagedPage(view: StagedView): ReactNode {
  const { staged, upload } = view;
  const { environment, manifest, unpackedSize } = upload;
  const dependencies = Object.entries(manifest.dependencies ?? {});
  return (
    <>
      <Facts
        facts={[
          ["Staged by", <Stager {...staged} />],
          ["Tag", staged.tag],
          ["Description", manifest["description"] ?? "none"],
          ["Size", `${bytesText(staged.size)} packed, ${bytesText(unpackedSize)} unpacked`],
          ["SHA-1", <code>{staged.shasum}</code>],
          ["Dependencies", listText(dependencies.map(([name, range]) => `${name}@${range}`))],
        ]}
      />
      {environment !== undefined && <Environment upload={upload} />}
      <Files {...view} />
      <Decision {...view} />
    </>
  );
}

function Stager({ actor, actor_type, created_at }: StagedView["staged"]): ReactNode {
  return (
    <>
      {actor ?? "a deleted user"}
      {actor_type === "trusted-publisher" && ", through a trusted publisher"}, on{" "}
      <DateTime date={created_at} />
    </>
  );
}

function listText(items: readonly string[]): string {
  return items.join(", ") || "none";
}

function Environment({ upload: { environment } }: Pick<StagedView, "upload">): ReactNode {
  const { kind, scores, tools, contentHash } = environment?.manifest ?? {};
  return (
    <>
      <h2>Environment</h2>
      <Facts
        facts={[
          ["Kind", kind],
          ["Scores", listText((scores ?? []).map(({ name }) => name))],
          ["Tools", listText((tools ?? []).map(({ name }) => name))],
          ["Content hash", <code>{contentHash}</code>],
        ]}
      />
    </>
  );
}

function Files({ base, diffs, staged, upload: { files } }: StagedView): ReactNode {
  const rest = files.length - diffs.filter(({ kind }) => kind !== "removed").length;
  return (
    <>
      <h2>Files</h2>
      <p className="quiet">
        {base === undefined
          ? "This is the first version of the package."
          : `Compared with ${staged.name}@${base} (latest). ${rest} of ${files.length} files are the same.`}
      </p>
      {diffs.map((file) => (
        <FileDiff key={file.path} file={file} files={undefined} />
      ))}
      {base === undefined && (
        <ul className="list" aria-label="Files">
          {files.map(({ path, size }) => (
            <li key={path}>
              <code className="what">{path}</code>
              <span className="quiet small">{bytesText(size)}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Decision({ staged }: StagedView): ReactNode {
  const path = `/settings/staged/${staged.id}`;
  const { name, version, mayApprove, mayReject } = staged;
  if (!mayReject)
    return <p className="quiet">An owner of {name} approves or rejects this version.</p>;
  return (
    <>
      <h2>Decide</h2>
      <p>
        {mayApprove
          ? `Approving publishes ${name}@${version} with you as its publisher. A version that is published cannot be changed.`
          : "Only owners of the package may approve this version. You may reject it, because you staged it."}
      </p>
      <div className="buttons">
        {mayApprove && (
          <Form action={`${path}/approve`}>
            <button>Approve and publish</button>
          </Form>
        )}
        <Form action={`${path}/reject`}>
          <button className="danger">Reject</button>
        </Form>
      </div>
    </>
  );
}
