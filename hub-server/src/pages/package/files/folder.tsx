import type { ReactNode } from "react";

import { bytesText, filesPath, type PackageView } from "../package-view.ts";
import { encodePath } from "../render/readme-links.ts";

interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
  readonly size: number;
  readonly count: number;
}

/** The files and folders in a folder of a version. */
export function Folder({ view, path }: { view: PackageView; path: string }): ReactNode {
  const { detail, version } = view;
  const root = filesPath(detail.name, version.version);
  const prefix = path === "" ? "" : `${path}/`;
  const entries = entriesOf(version.files, prefix);
  const parent = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
  return (
    <div className="section">
      <Breadcrumbs view={view} path={path} />
      <div className="scroll" tabIndex={0} role="region" aria-label="Files">
        <table className="folder">
          <thead className="unseen">
            <tr>
              <th>Name</th>
              <th>Size</th>
            </tr>
          </thead>
          <tbody>
            {path !== "" && (
              <tr>
                <td>
                  <a href={parent === "" ? root : `${root}/${encodePath(parent)}`}>
                    ..<span className="unseen"> (the folder above)</span>
                  </a>
                </td>
                <td />
              </tr>
            )}
            {entries.map(({ name, isFolder, size, count }) => (
              <tr key={name}>
                <td>
                  <a href={`${root}/${encodePath(prefix + name)}`}>
                    {isFolder ? `${name}/` : name}
                  </a>
                  {isFolder && <span className="quiet small"> {count}</span>}
                </td>
                <td className="number">{bytesText(size)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** The entries of a folder, subfolders first. The size of a folder is the sum of its files. */
function entriesOf(files: PackageView["version"]["files"], prefix: string): readonly Entry[] {
  const entries = new Map<string, Entry>();
  for (const { path, size } of files) {
    if (!path.startsWith(prefix)) continue;
    const rest = path.slice(prefix.length);
    const slash = rest.indexOf("/");
    const name = slash === -1 ? rest : rest.slice(0, slash);
    const entry = entries.get(name) ?? { name, isFolder: slash !== -1, size: 0, count: 0 };
    entries.set(name, { ...entry, size: entry.size + size, count: entry.count + 1 });
  }
  return [...entries.values()].sort(
    (a, b) => Number(b.isFolder) - Number(a.isFolder) || (a.name < b.name ? -1 : 1),
  );
}

/** The path of a file or folder, with a link for each folder above it. */
export function Breadcrumbs({
  view: { detail, version },
  path,
}: {
  readonly view: PackageView;
  readonly path: string;
}): ReactNode {
  const root = filesPath(detail.name, version.version);
  const parts = path === "" ? [] : path.split("/");
  return (
    <nav className="breadcrumbs" aria-label="Path">
      <a href={root}>{version.version}</a>
      {parts.map((part, index) => (
        <span key={index}>
          {" / "}
          {index === parts.length - 1 ? (
            <strong>{part}</strong>
          ) : (
            <a href={`${root}/${encodePath(parts.slice(0, index + 1).join("/"))}`}>{part}</a>
          )}
        </span>
      ))}
    </nav>
  );
}
