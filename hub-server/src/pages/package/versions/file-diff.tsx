import type { ReactNode } from "react";

import { bytesText } from "../package-view.ts";
import { encodePath } from "../render/readme-links.ts";
import type { ComparedFile } from "./compared-files.ts";

const signs = { same: " ", added: "+", removed: "−" } as const;
/** The maximum number of lines of a diff that is open at first. */
const openLines = 200;

/** The changed lines of a file, with the lines around them. */
export function FileDiff({
  file: { path, kind, before, after, hunks, note },
  files,
}: {
  readonly file: ComparedFile;
  /** The path of the pages of the version's files; undefined if it is not published. */
  readonly files: string | undefined;
}): ReactNode {
  const lines = hunks.flat();
  const count = (of: "added" | "removed"): number =>
    lines.filter((line) => line.kind === of).length;
  return (
    <details className="file-diff" open={lines.length > 0 && lines.length <= openLines}>
      <summary>
        <span className="name">{path}</span>
        {kind !== "changed" && (
          <span className={kind === "added" ? "tag good" : "tag danger"}>{kind}</span>
        )}
        <span className="quiet small">
          {lines.length > 0 ? `+${count("added")} −${count("removed")}` : sizes(before, after)}
        </span>
      </summary>
      {note !== undefined && <p className="quiet small note">{note}</p>}
      {hunks.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label={`Changes of ${path}`}>
          <table className="diff">
            {hunks.map((hunk, index) => (
              <tbody key={index}>
                {hunk.map(({ kind: lineKind, text, before: old, after: new_ }, row) => (
                  <tr key={row} className={lineKind}>
                    <td className="number">{old}</td>
                    <td className="number">{new_}</td>
                    <td className="sign">{signs[lineKind]}</td>
                    <td className="code-line">{text}</td>
                  </tr>
                ))}
              </tbody>
            ))}
          </table>
        </div>
      )}
      {kind !== "removed" && files !== undefined && (
        <p className="small note">
          <a href={`${files}/${encodePath(path)}`}>See the whole file</a>
        </p>
      )}
    </details>
  );
}

function sizes(before: number, after: number): string {
  return `${bytesText(before)} → ${bytesText(after)}`;
}
