/** The maximum length of the field, which bounds the time of the patterns below. */
const maxLength = 1000;

const hosts: Readonly<Record<string, string>> = {
  github: "github.com",
  gitlab: "gitlab.com",
  bitbucket: "bitbucket.org",
};

/**
 * Normalises the `repository` field of package.json to `host/path`, in lower case, because hosts compare the names of
 * repositories without case. Returns undefined for any other text.
 */
export function repositoryAddress(repository: unknown): string | undefined {
  const text = textOf(repository)?.trim().toLowerCase();
  if (text === undefined || text.length > maxLength) return undefined;
  const [, host, path] =
    /^(?:git\+)?(?:https?|ssh|git):\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+)$/.exec(text) ??
    /^(?:[^@/]+@)?([^/:]+\.[^/:]+):(.+)$/.exec(text) ??
    shorthand(text) ??
    [];
  if (host === undefined || path === undefined) return undefined;
  const [plain = ""] = path.split(/[?#]/, 1);
  return `${host}/${plain.replace(/\/+$/, "").replace(/\.git$/, "")}`;
}

/** npm's shorthands: `gitlab:owner/name`, and `owner/name` for GitHub. */
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
