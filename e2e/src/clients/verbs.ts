/** What a person does with a registry. */
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
  | "access of"
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

/** The arguments with which a client does something to what it is given. */
export type Verbs = Readonly<
  Partial<Record<Verb, (...things: readonly string[]) => readonly string[]>>
>;

/** What npm and pnpm say alike. Accounts belong to a registry, and a scope's packages find it by the project's `.npmrc`. */
export function npmVerbs(hub: string): Verbs {
  const at = ["--registry", hub];
  const said =
    (...words: readonly string[]) =>
    (...things: readonly string[]) => [...words, ...things, ...at];
  return {
    publish: (...options) => ["publish", ...options],
    view: (...what) => ["view", ...what],
    search: said("search"),
    ping: said("ping"),
    login: said("login"),
    logout: said("logout"),
    whoami: said("whoami"),
    deprecate: said("deprecate"),
    undeprecate: said("undeprecate"),
    unpublish: said("unpublish"),
    audit: said("audit"),
    "tag add": said("dist-tag", "add"),
    "tag remove": said("dist-tag", "rm"),
    "tag list": said("dist-tag", "ls"),
    "owner add": said("owner", "add"),
    "owner remove": said("owner", "rm"),
    "owner list": said("owner", "ls"),
    "token create": said("token", "create"),
    "token list": said("token", "list"),
    "token revoke": said("token", "revoke"),
    star: said("star"),
    unstar: said("unstar"),
    stars: said("stars"),
    "access list": said("access", "list"),
    "access of": said("access", "get", "status"),
    "access set": said("access", "set"),
    "team create": said("team", "create"),
    "team destroy": said("team", "destroy"),
    "team add": said("team", "add"),
    "team remove": said("team", "rm"),
    "team list": said("team", "ls"),
    "team grant": said("access", "grant"),
    "team revoke": said("access", "revoke"),
    "stage publish": said("stage", "publish"),
    "stage list": said("stage", "list"),
    "stage approve": said("stage", "approve"),
    "stage reject": said("stage", "reject"),
  };
}
