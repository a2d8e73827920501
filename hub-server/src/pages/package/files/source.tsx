import { extname } from "node:path";

import type { ReactNode } from "react";

import { versionsOf } from "../../../api/package-versions.ts";
import { storedFiles } from "../../../packages/files/stored-files.ts";
import type { Hub } from "../../../platform/hub/hub.ts";
import { bytesText, type PackageView, rawPath } from "../package-view.ts";
import { PageScript } from "../page-script.tsx";
import { languageOfFile } from "../render/languages.ts";
import { encodePath } from "../render/readme-links.ts";
import type { Renderer } from "../render/renderer.ts";
import { textOf } from "./file-text.ts";
import { Breadcrumbs } from "./folder.tsx";

/** A file as the page shows it. */
export interface SourceFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  /** The lines as HTML or, if they could not be rendered, as text; undefined if the page does not show them. */
  readonly lines: readonly string[] | undefined;
  readonly isHtml: boolean;
  readonly note: string | undefined;
}

const maxBytes = 512 * 1024;
const maxLines = 10_000;
const imageExtension = /^\.(?:avif|gif|jpe?g|png|svg|webp)$/;

/** Reads and highlights a file of a version. */
export async function sourceOf(
  { hub, renderer }: { readonly hub: Hub; readonly renderer: Renderer },
  { package: { id }, version }: Pick<PackageView, "package" | "version">,
  file: PackageView["version"]["files"][number],
): Promise<SourceFile> {
  const hidden = { ...file, lines: undefined, isHtml: false };
  if (file.size > maxBytes) return { ...hidden, note: "The file is too large for this page." };
  const [row] = await versionsOf(hub.database, id, version.version);
  const text = textOf((await storedFiles(hub, row?.id ?? -1)).get(file.path));
  if (text === undefined) return { ...hidden, note: "The file is binary." };
  const shown = text.replace(/\n$/, "");
  const plain = shown.split("\n");
  const isLong = plain.length > maxLines;
  const task = {
    text: isLong ? plain.slice(0, maxLines).join("\n") : shown,
    language: languageOfFile(file.path),
  };
  const html = await renderer.render("code", `${file.sha256} ${task.language}`, task);
  return {
    ...file,
    lines: html ?? plain.slice(0, maxLines),
    isHtml: html !== undefined,
    note: isLong ? `The page shows the first ${maxLines.toLocaleString("en")} lines.` : undefined,
  };
}

/** A file with numbered lines. The address of a line is `#L10`, of several lines `#L10-L20`. */
export function Source({
  view,
  source: { path, size, sha256, lines, isHtml, note },
}: {
  readonly view: PackageView;
  readonly source: SourceFile;
}): ReactNode {
  const raw = `${rawPath(view.detail.name, view.version.version)}/${encodePath(path)}`;
  return (
    <div className="section">
      <Breadcrumbs view={view} path={path} />
      <p className="quiet small facts">
        <span>{bytesText(size)}</span>
        {lines !== undefined && (
          <span>
            {lines.length === 1 ? "1 line" : `${lines.length.toLocaleString("en")} lines`}
          </span>
        )}
        <a href={raw}>Raw</a>
        <span title={`SHA-256 ${sha256}`}>
          SHA-256 <code>{sha256.slice(0, 12)}</code>
        </span>
      </p>
      {note !== undefined && <p className="notice">{note}</p>}
      {imageExtension.test(extname(path).toLowerCase()) && (
        <p>
          <img className="preview" src={raw} alt={path} />
        </p>
      )}
      {lines !== undefined && <Lines lines={lines} isHtml={isHtml} path={path} />}
      <PageScript name="code-view" />
    </div>
  );
}

function Lines({
  lines,
  isHtml,
  path,
}: {
  readonly lines: readonly string[];
  readonly isHtml: boolean;
  readonly path: string;
}): ReactNode {
  return (
    <div className="scroll source" tabIndex={0} role="region" aria-label={path}>
      <code>
        {lines.map((line, index) => (
          <span key={index} className="source-line" id={`L${index + 1}`}>
            <a
              className="line-number"
              href={`#L${index + 1}`}
              data-number={index + 1}
              aria-label={`Line ${index + 1}`}
              tabIndex={-1}
            />
            {isHtml ? (
              <span
                className="line-text"
                dangerouslySetInnerHTML={{ __html: line === "" ? "\n" : line }}
              />
            ) : (
              <span className="line-text">{line === "" ? "\n" : line}</span>
            )}
          </span>
        ))}
      </code>
    </div>
  );
}
