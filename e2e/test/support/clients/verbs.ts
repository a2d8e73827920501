/** An action on a registry, independent of the client. */
export type Verb =
  | "install"
  | "install again"
  | "run"
  | "prepare"
  | "publish"
  | "view"
  | "search"
  | "ping"
  | "login"
  | "logout"
  | "whoami"
  | "deprecate"
  | "undeprecate"
  | "unpublish"
  | "audit"
  | "tag add"
  | "tag remove"
  | "tag list"
  | "owner add"
  | "owner remove"
  | "owner list"
  | "token create"
  | "token list"
  | "token revoke"
  | "star"
  | "unstar"
  | "stars"
  | "access list"
  | "access status"
  | "access set"
  | "team create"
  | "team destroy"
  | "team add"
  | "team remove"
  | "team list"
  | "team grant"
  | "team revoke"
  | "organisation set"
  | "organisation remove"
  | "organisation list"
  | "stage publish"
  | "stage list"
  | "stage approve"
  | "stage reject";

/** The command-line arguments of each verb that a client supports. */
export type Verbs = Readonly<
  Partial<Record<Verb, (...args: readonly string[]) => readonly string[]>>
>;

/** The arguments that npm and pnpm share. Most need `--registry`; publish and view find the registry in `.npmrc`, by scope. */
export function npmVerbs(hub: string): Verbs {
  const registry = ["--registry", hub];
  const atHub =
    (...words: readonly string[]) =>
    (...args: readonly string[]) => [...words, ...args, ...registry];
  return {
    publish: (...options) => ["publish", ...options],
    view: (...args) => ["view", ...args],
    search: atHub("search"),
    ping: atHub("ping"),
    login: atHub("login"),
    logout: atHub("logout"),
    whoami: atHub("whoami"),
    deprecate: atHub("deprecate"),
    undeprecate: atHub("undeprecate"),
    unpublish: atHub("unpublish"),
    audit: atHub("audit"),
    "tag add": atHub("dist-tag", "add"),
    "tag remove": atHub("dist-tag", "rm"),
    "tag list": atHub("dist-tag", "ls"),
    "owner add": atHub("owner", "add"),
    "owner remove": atHub("owner", "rm"),
    "owner list": atHub("owner", "ls"),
    "token create": atHub("token", "create"),
    "token list": atHub("token", "list"),
    "token revoke": atHub("token", "revoke"),
    star: atHub("star"),
    unstar: atHub("unstar"),
    stars: atHub("stars"),
    "access list": atHub("access", "list"),
    "access status": atHub("access", "get", "status"),
    "access set": atHub("access", "set"),
    "team create": atHub("team", "create"),
    "team destroy": atHub("team", "destroy"),
    "team add": atHub("team", "add"),
    "team remove": atHub("team", "rm"),
    "team list": atHub("team", "ls"),
    "team grant": atHub("access", "grant"),
    "team revoke": atHub("access", "revoke"),
    "stage publish": atHub("stage", "publish"),
    "stage list": atHub("stage", "list"),
    "stage approve": atHub("stage", "approve"),
    "stage reject": atHub("stage", "reject"),
  };
}
