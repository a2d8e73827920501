/** What is longer is no address, and would keep the patterns below busy. */
const longest = 1000;

const hosts: Readonly<Record<string, string>> = {
  github: "github.com",
  gitlab: "gitlab.com",
  bitbucket: "bitbucket.org",
};

/**
 * Where package.json says that the source is, as `host/path`: every way to write one repository gives one address.
 * Hosts tell no capitals apart, so neither does this.
 */
export function repositoryAddress(repository: unknown): string | undefined {
  const text = textOf(repository)?.trim().toLowerCase();
  if (text === undefined || text.length > longest) return undefined;
  const [, host, path] =
    /^(?:git\+)?(?:https?|ssh|git):\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+)$/.exec(text) ??
    /^(?:[^@/]+@)?([^/:]+\.[^/:]+):(.+)$/.exec(text) ??
    shorthand(text) ??
    [];
  if (host === undefined || path === undefined) return undefined;
  const [plain = ""] = path.split(/[?#]/, 1);
  return `${host}/${plain.replace(/\/+$/, "").replace(/\.git$/, "")}`;
}

/** `owner/name` is on GitHub, as npm reads it. */
function shorthand(text: string): readonly (string | undefined)[] | undefined {
  const [, host = "github", path] =
    /^(?:(github|gitlab|bitbucket):)?([\w.-]+\/[\w./-]+)$/.exec(text) ?? [];
  return path === undefined ? undefined : [text, hosts[host], path];
}

function textOf(repository: unknown): string | undefined {
  if (typeof repository === "string") return repository;
  if (typeof repository !== "object" || repository === null || !("url" in repository))
    return undefined;
  return typeof repository.url === "string" ? repository.url : undefined;
}
