import * as z from "zod";

/** The license of a package and its links to web pages. */
export interface PackageLinks {
  readonly license: string | null;
  readonly homepage: string | null;
  readonly repository: string | null;
  readonly bugs: string | null;
}

const shortText = z.string().max(1000);
const licenseField = z.union([
  shortText,
  z.object({ type: shortText }).transform(({ type }) => type),
]);
const link = z
  .union([shortText, z.object({ url: shortText }).transform(({ url }) => url)])
  .nullable()
  .catch(null);

const fields = z.object({
  license: licenseField.nullable().catch(null),
  homepage: link,
  repository: link,
  bugs: link,
});

/** Reads the license and the links of a `package.json`. Links that are not HTTP URLs are `null`. */
export function packageLinks(packageJson: Readonly<Record<string, unknown>>): PackageLinks {
  const { license, homepage, repository, bugs } = fields.parse(packageJson);
  return {
    license,
    homepage: webUrl(homepage),
    repository: webUrl(repository),
    bugs: webUrl(bugs),
  };
}

const hosts = new Map([
  ["github", "https://github.com/"],
  ["gitlab", "https://gitlab.com/"],
  ["bitbucket", "https://bitbucket.org/"],
]);

/** Converts repository notations too: `github:user/name`, `user/name`, `git+ssh://…`, `git@host:…`. */
function webUrl(link: string | null): string | null {
  if (link === null) return null;
  const [, host = "github", path] = /^(?:(\w+):)?([\w.-]+\/[\w.-]+)$/.exec(link) ?? [];
  const text =
    path === undefined
      ? link
          .replace(/^git@([^:/]+):/, "https://$1/")
          .replace(/^git\+ssh:\/\/(?:git@)?|^git:\/\//, "https://")
          .replace(/^git\+/, "")
      : `${hosts.get(host) ?? ""}${path}`;
  const url = URL.parse(text.replace(/\.git(?=$|#)/, ""));
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}
