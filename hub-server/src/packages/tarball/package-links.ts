import * as z from "zod";

/** What a package says of itself to people. */
export interface Described {
  readonly license: string | null;
  readonly homepage: string | null;
  readonly repository: string | null;
  readonly bugs: string | null;
}

const text = z.string().max(1000);
const licence = z.union([text, z.object({ type: text }).transform(({ type }) => type)]);
const address = z
  .union([text, z.object({ url: text }).transform(({ url }) => url)])
  .nullable()
  .catch(null);

const fields = z.object({
  license: licence.nullable().catch(null),
  homepage: address,
  repository: address,
  bugs: address,
});

/** Reads what a `package.json` says to people. What is no address of the web is left out: it would be shown as a link. */
export function describedIn(packageJson: Readonly<Record<string, unknown>>): Described {
  const { license, homepage, repository, bugs } = fields.parse(packageJson);
  return {
    license,
    homepage: webAddress(homepage),
    repository: webAddress(repository),
    bugs: webAddress(bugs),
  };
}

const hosts = new Map([
  ["github", "https://github.com/"],
  ["gitlab", "https://gitlab.com/"],
  ["bitbucket", "https://bitbucket.org/"],
]);

/** Also of the ways in which repositories are written: `github:user/name`, `user/name`, `git+ssh://…`, `git@host:…`. */
function webAddress(written: string | null): string | null {
  if (written === null) return null;
  const [, host = "github", path] = /^(?:(\w+):)?([\w.-]+\/[\w.-]+)$/.exec(written) ?? [];
  const full =
    path === undefined
      ? written
          .replace(/^git@([^:/]+):/, "https://$1/")
          .replace(/^git\+ssh:\/\/(?:git@)?|^git:\/\//, "https://")
          .replace(/^git\+/, "")
      : `${hosts.get(host) ?? ""}${path}`;
  const url = URL.parse(full.replace(/\.git(?=$|#)/, ""));
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}
