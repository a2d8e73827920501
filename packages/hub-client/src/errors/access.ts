import type { HubErrorEntry } from "./hub-error.ts";

/** Errors of access rights, owners, teams and organisations. */
export const accessErrors = {
  "access-invalid": {
    status: 400,
    what: "The access settings are not valid.",
    why: "The body can have `access` (`public` or `restricted`), `publish_requires_tfa` and `automation_token_overrides_tfa` (booleans).",
    fix: "Correct the body, or run `npm access`.",
  },
  "access-only-widens": {
    status: 403,
    what: "The package cannot become private.",
    why: "It was downloaded while it was public; projects that use it would fail to install.",
    fix: "Archive it (`envs hub archive`), or deprecate it (`npm deprecate`).",
  },
  "second-factor-missing": {
    status: 403,
    what: "The account cannot require a second factor for the package.",
    why: "It does not have a second factor itself, so it would lose its own write access.",
    fix: "Enable it first: `npm profile enable-2fa`.",
  },
  "user-not-found": {
    status: 404,
    what: "The user to add as a maintainer does not exist on the hub.",
    why: "The name is misspelled, or the user has no account.",
    fix: "Correct the name, or invite the user.",
  },
  "owner-not-found": {
    status: 404,
    what: "The user to remove is not a maintainer of the package.",
    why: "The name is misspelled, or the user was already removed.",
    fix: "List the maintainers with `npm owner ls <package>`.",
  },
  "last-owner": {
    status: 403,
    what: "The last maintainer of a package, or the last owner of an organisation, cannot be removed.",
    why: "No account could manage it afterwards.",
    fix: "First add another: `npm owner add <user> <package>` or `npm org set <organisation> <user> owner`.",
  },
  "scope-owner": {
    status: 403,
    what: "The user cannot be removed as a maintainer.",
    why: "The package is in the user's own scope.",
    fix: "Remove other maintainers, or archive the package.",
  },
  "not-an-owner": {
    status: 403,
    what: "The account cannot invite users to the organisation.",
    why: "Only owners of an organisation can invite to it.",
    fix: "Ask an owner: `npm org ls <organisation>`.",
  },
  "too-many-organisations": {
    status: 429,
    what: "The user created too many organisations within a week.",
    why: "The hub limits them, because their names are never released.",
    fix: "Wait, or ask the hub's operator.",
  },
  "team-name-invalid": {
    status: 400,
    what: "The team name is not valid.",
    why: "It is longer than 64 characters, or contains unsupported characters.",
    fix: "Choose lower-case letters, digits, dots, hyphens and underscores; begin and end with a letter or digit.",
  },
  "team-taken": {
    status: 409,
    what: "The organisation already has a team with this name.",
    why: "Team names are unique within an organisation.",
    fix: "Choose another name, or use the existing team.",
  },
} as const satisfies Record<string, HubErrorEntry>;
