import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import type { ClientKind, Registry } from "./clients/client.ts";
import { npmVerbs } from "./clients/verbs.ts";

const { resolve } = createRequire(import.meta.url);

/** The command line that starts each client. */
export const programs = {
  npm: [process.execPath, join(dirname(resolve("npm-11/package.json")), "bin/npm-cli.js")],
  // The tests run under pnpm, which adds itself to the path.
  pnpm: ["pnpm"],
  yarn1: [process.execPath, join(dirname(resolve("yarn/package.json")), "bin/yarn.js")],
  yarn4: [process.execPath, resolve("@yarnpkg/cli-dist/bin/yarn.js")],
  bun: [bunProgram()],
} as const;

/** The path of bun in its package for this platform, because the command of `bun` itself needs an install script. */
function bunProgram(): string {
  const cpu = process.arch === "arm64" ? "aarch64" : process.arch;
  const folder = createRequire(resolve("bun/package.json")).resolve(
    `@oven/bun-${process.platform}-${cpu}/package.json`,
  );
  return join(dirname(folder), "bin/bun");
}

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

/** The package managers that the hub supports. */
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
      // npm expects the user before the package.
      "owner add": (name = "", user = "") => ["owner", "add", user, name, "--registry", url],
      "owner remove": (name = "", user = "") => ["owner", "rm", user, name, "--registry", url],
      "organisation set": (...args) => ["org", "set", ...args, "--registry", url],
      "organisation remove": (...args) => ["org", "rm", ...args, "--registry", url],
      "organisation list": (...args) => ["org", "ls", ...args, "--registry", url],
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
    // Yarn 1 lacks a web login. It reads the token that npm saves.
    login: npmLogin,
    verbs: () => ({
      install: (...packages) => [packages.length > 0 ? "add" : "install", ...packages],
      "install again": () => ["install", "--frozen-lockfile"],
      run: (...command) => ["run", "--silent", ...command],
      publish: (...options) => ["publish", "--non-interactive", ...options],
      view: (...args) => ["info", ...args],
      "tag add": (...args) => ["tag", "add", ...args],
      "tag remove": (...args) => ["tag", "remove", ...args],
      "tag list": (...args) => ["tag", "list", ...args],
      // The commands for owners reject names with a scope.
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
        // Without this, Yarn 4 publishes the scope's packages to the default registry.
        `    npmPublishRegistry: ${JSON.stringify(url)}`,
        // A scope ignores the top-level setting, and its default is one day.
        "    npmMinimalAgeGate: 0",
        `npmAuditRegistry: ${JSON.stringify(url)}`,
        "",
      ].join("\n"),
    }),
    login: ({ scope }) => [...programs.yarn4, "npm", "login", "--scope", scope, "--web-login"],
    verbs: ({ scope }) => ({
      install: (...packages) => [packages.length > 0 ? "add" : "install", ...packages],
      "install again": () => ["install", "--immutable"],
      // Yarn 4 publishes only from an installed project.
      prepare: () => ["install", "--no-immutable"],
      run: (...command) => ["run", ...command],
      publish: (...options) => ["npm", "publish", ...options],
      view: (...args) => ["npm", "info", ...args],
      whoami: () => ["npm", "whoami", "--scope", scope],
      logout: () => ["npm", "logout", "--scope", scope],
      audit: () => ["npm", "audit"],
      "tag add": (...args) => ["npm", "tag", "add", ...args],
      "tag remove": (...args) => ["npm", "tag", "remove", ...args],
      "tag list": (...args) => ["npm", "tag", "list", ...args],
      "stage publish": (...options) => ["npm", "publish", "--staged", ...options],
      // The other commands for stages use the default registry.
    }),
  },
  "bun 1": {
    command: programs.bun,
    settings: npmSettings,
    // bun lacks a web login. It reads the token that npm saves.
    login: npmLogin,
    verbs: () => ({
      install: (...packages) => [packages.length > 0 ? "add" : "install", ...packages],
      "install again": () => ["install", "--frozen-lockfile"],
      run: (...command) => ["run", "--silent", ...command],
      publish: (...options) => ["publish", ...options],
      view: (...args) => ["info", ...args],
      // The other commands use the default registry.
    }),
  },
} as const satisfies Readonly<Record<string, ClientKind>>;

export const clientNames = Object.keys(clients) as (keyof typeof clients)[];
