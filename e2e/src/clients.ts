import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import type { ClientKind, Registry } from "./clients/client.ts";
import { npmVerbs } from "./clients/verbs.ts";

const { resolve } = createRequire(import.meta.url);

/** What to start each client with. */
export const programs = {
  npm: [process.execPath, join(dirname(resolve("npm-11/package.json")), "bin/npm-cli.js")],
  // The tests run under pnpm, which puts itself on the path.
  pnpm: ["pnpm"],
  yarn1: [process.execPath, join(dirname(resolve("yarn/package.json")), "bin/yarn.js")],
  yarn4: [process.execPath, resolve("@yarnpkg/cli-dist/bin/yarn.js")],
} as const;

/** npm, pnpm and Yarn 1 find a scope's registry in the same file. */
const npmSettings = ({ url, scope }: Registry): ReturnType<ClientKind["settings"]> => ({
  file: ".npmrc",
  text: `@${scope}:registry=${url}\n`,
});
const npmLogin = ({ url }: Registry): readonly string[] => [
  ...programs.npm,
  "login",
  "--auth-type=web",
  "--registry",
  url,
];

/** The package managers that people have. */
export const clients = {
  "npm 11": {
    command: programs.npm,
    settings: npmSettings,
    login: npmLogin,
    verbs: ({ url }) => ({
      ...npmVerbs(url),
      install: (...packages) => ["install", "--no-audit", "--no-fund", ...packages],
      "install again": () => ["ci", "--no-audit", "--no-fund"],
      run: (...command) => ["exec", "--no", "--", ...command],
      // It names the person first.
      "owner add": (name = "", user = "") => ["owner", "add", user, name, "--registry", url],
      "owner remove": (name = "", user = "") => ["owner", "rm", user, name, "--registry", url],
      "organisation set": (...things) => ["org", "set", ...things, "--registry", url],
      "organisation remove": (...things) => ["org", "rm", ...things, "--registry", url],
      "organisation list": (...things) => ["org", "ls", ...things, "--registry", url],
    }),
  },
  "pnpm 12": {
    command: programs.pnpm,
    settings: npmSettings,
    login: ({ url }) => [...programs.pnpm, "login", "--registry", url],
    verbs: ({ url }) => ({
      ...npmVerbs(url),
      publish: (...options) => ["publish", "--no-git-checks", ...options],
      install: (...packages) => [packages.length > 0 ? "add" : "install", ...packages],
      "install again": () => ["install", "--frozen-lockfile"],
      run: (...command) => ["exec", ...command],
    }),
  },
  "Yarn 1": {
    command: [...programs.yarn1, "--no-progress"],
    settings: npmSettings,
    // It has no login by the web: it finds the token where npm has left it.
    login: npmLogin,
    verbs: () => ({
      install: (...packages) => [packages.length > 0 ? "add" : "install", ...packages],
      "install again": () => ["install", "--frozen-lockfile"],
      run: (...command) => ["run", "--silent", ...command],
      publish: (...options) => ["publish", "--non-interactive", ...options],
      view: (...what) => ["info", ...what],
      "tag add": (...things) => ["tag", "add", ...things],
      "tag remove": (...things) => ["tag", "remove", ...things],
      "tag list": (...things) => ["tag", "list", ...things],
      // Its words for owners take no name with a scope.
    }),
  },
  "Yarn 4": {
    command: programs.yarn4,
    settings: ({ url, scope }) => ({
      file: ".yarnrc.yml",
      text: [
        "npmScopes:",
        `  ${scope}:`,
        `    npmRegistryServer: ${JSON.stringify(url)}`,
        // Without this, it publishes a scope's packages to the registry of all others.
        `    npmPublishRegistry: ${JSON.stringify(url)}`,
        // A scope has a gate of its own, of a day, whatever the one above it is.
        "    npmMinimalAgeGate: 0",
        `npmAuditRegistry: ${JSON.stringify(url)}`,
        "",
      ].join("\n"),
    }),
    login: ({ scope }) => [...programs.yarn4, "npm", "login", "--scope", scope, "--web-login"],
    verbs: ({ scope }) => ({
      install: (...packages) => [packages.length > 0 ? "add" : "install", ...packages],
      "install again": () => ["install", "--immutable"],
      // It publishes from an installed project.
      prepare: () => ["install", "--no-immutable"],
      run: (...command) => ["run", ...command],
      publish: (...options) => ["npm", "publish", ...options],
      view: (...what) => ["npm", "info", ...what],
      whoami: () => ["npm", "whoami", "--scope", scope],
      logout: () => ["npm", "logout", "--scope", scope],
      audit: () => ["npm", "audit"],
      "tag add": (...things) => ["npm", "tag", "add", ...things],
      "tag remove": (...things) => ["npm", "tag", "remove", ...things],
      "tag list": (...things) => ["npm", "tag", "list", ...things],
      "stage publish": (...options) => ["npm", "publish", "--staged", ...options],
      // Its other words for stages go to the registry of packages without a scope.
    }),
  },
} as const satisfies Readonly<Record<string, ClientKind>>;

/** What the clients are called. */
export const clientNames = Object.keys(clients) as (keyof typeof clients)[];
