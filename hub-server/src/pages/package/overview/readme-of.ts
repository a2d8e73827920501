import { filesPath, type PackageView, rawPath } from "../package-view.ts";
import type { Renderer } from "../render/renderer.ts";

/** The HTML of a version's README; undefined without one, or if rendering failed. */
export async function readmeOf(
  renderer: Renderer,
  { version, detail }: Pick<PackageView, "version" | "detail">,
): Promise<string | undefined> {
  if (version.readme.trim() === "") return undefined;
  const { name, repository } = detail;
  const folder = repositoryFolder(version.repository ?? repository);
  return await renderer.render("readme", `${name} ${version.integrity} ${folder}`, {
    markdown: version.readme,
    base: {
      name,
      files: version.files.map(({ path }) => path),
      filePages: `${filesPath(name, version.version)}/`,
      fileBytes: `${rawPath(name, version.version)}/`,
      repositoryFolder: folder,
    },
  });
}

/** The folder of links that leave the package: the repository's root on GitHub or GitLab. */
function repositoryFolder(repository: string | null): string | null {
  const [, root] =
    /^(https:\/\/(?:github|gitlab)\.com\/[^/]+\/[^/#?]+)/.exec(repository ?? "") ?? [];
  return root === undefined ? null : `${root}/blob/HEAD/`;
}
