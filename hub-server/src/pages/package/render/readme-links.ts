/** The targets of the relative links of a README. */
export interface ReadmeBase {
  /** The package's name. A first heading with only this name is left out, because the page has it already. */
  readonly name: string;
  /** The paths of the version's files. */
  readonly files: readonly string[];
  /** The path of the page of a file without the file's own path: `/package/@envs/tictactoe/files/0.1.0/`. */
  readonly filePages: string;
  /** The path of the bytes of a file without the file's own path. */
  readonly fileBytes: string;
  /** The package's folder in its repository on the web; null without one. */
  readonly repositoryFolder: string | null;
}

/** The address of a link of a README; undefined if the target does not exist. */
export function linkTarget(href: string, base: ReadmeBase): string | undefined {
  if (href.startsWith("#")) return `#readme-${href.slice(1)}`;
  if (/^[a-z][a-z\d+.-]*:/i.test(href)) return href;
  if (href.startsWith("//")) return undefined;
  const path = pathOf(href);
  if (path === undefined) return undefined;
  const { hash } = new URL(href, "https://package.invalid/");
  if (base.files.includes(path)) return `${base.filePages}${encodePath(path)}${hash}`;
  return outsideTarget(href, base);
}

/** The address of an image of a README on this hub; undefined if it is elsewhere. */
export function imageSource(source: string, base: ReadmeBase): string | undefined {
  const path = pathOf(source);
  return path !== undefined && base.files.includes(path)
    ? `${base.fileBytes}${encodePath(path)}`
    : undefined;
}

/** A file's path as a part of a URL. */
export function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** The path of a relative reference from the package's root. It cannot leave the root. */
function pathOf(reference: string): string | undefined {
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(reference)) return undefined;
  try {
    return decodeURIComponent(
      new URL(reference, "https://package.invalid/").pathname.replace(/^\/+|\/+$/g, ""),
    );
  } catch {
    return undefined;
  }
}

/** The target of a link to a file outside the package, as in READMEs of monorepos. */
function outsideTarget(href: string, { repositoryFolder }: ReadmeBase): string | undefined {
  if (repositoryFolder === null) return undefined;
  return URL.parse(href, repositoryFolder)?.href;
}
