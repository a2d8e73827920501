import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { client, type Client, webLogin } from "./clients/client.ts";
import { npmVerbs } from "./clients/verbs.ts";
import { workplace, type Workplace } from "./clients/workplace.ts";

const { resolve } = createRequire(import.meta.url);

/** What to start each client with. */
export const programs = {
  npm: [process.execPath, join(dirname(resolve("npm-11/package.json")), "bin/npm-cli.js")],
  // The tests run under pnpm, which puts itself on the path.
  pnpm: ["pnpm"],
  yarn1: [process.execPath, join(dirname(resolve("yarn/package.json")), "bin/yarn.js")],
  yarn4: [process.execPath, resolve("@yarnpkg/cli-dist/bin/yarn.js")],
} as const;

/** How each client is set up, by its name. */
export const clients = {
  "npm 11": npm,
  "pnpm 12": pnpm,
  "Yarn 1": yarn1,
  "Yarn 4": yarn4,
} as const satisfies Readonly<Record<string, (hub: string) => Promise<Client>>>;

async function npm(hub: string): Promise<Client> {
  const place = await npmPlace(hub);
  const run = place.start(programs.npm);
  const verbs = npmVerbs(hub);
  return client({
    name: "npm 11",
    place,
    run,
    verbs: {
      ...verbs,
      install: (...packages) => ["install", "--no-audit", "--no-fund", ...packages],
      "install again": () => ["ci", "--no-audit", "--no-fund"],
      run: (...command) => ["exec", "--no", "--", ...command],
      "organisation set": (...things) => ["org", "set", ...things, "--registry", hub],
      "organisation remove": (...things) => ["org", "rm", ...things, "--registry", hub],
      "organisation list": (...things) => ["org", "ls", ...things, "--registry", hub],
    },
    login: (approve) =>
      webLogin(hub, [run, ["login", "--auth-type=web", "--registry", hub]], approve),
  });
}

async function pnpm(hub: string): Promise<Client> {
  const place = await npmPlace(hub);
  const run = place.start(programs.pnpm);
  return client({
    name: "pnpm 12",
    place,
    run,
    verbs: {
      ...npmVerbs(hub),
      publish: (...options) => ["publish", "--no-git-checks", ...options],
      install: (...packages) => [packages.length > 0 ? "add" : "install", ...packages],
      "install again": () => ["install", "--frozen-lockfile"],
      run: (...command) => ["exec", ...command],
    },
    login: (approve) => webLogin(hub, [run, ["login", "--registry", hub]], approve),
  });
}

/** Yarn 1 has no login by the web: it finds the token where npm has left it. */
async function yarn1(hub: string): Promise<Client> {
  const place = await npmPlace(hub);
  const run = place.start([...programs.yarn1, "--no-progress"]);
  return client({
    name: "Yarn 1",
    place,
    run,
    verbs: {
      install: (...packages) => [packages.length > 0 ? "add" : "install", ...packages],
      "install again": () => ["install", "--frozen-lockfile"],
      run: (...command) => ["run", "--silent", ...command],
      publish: (...options) => ["publish", "--non-interactive", ...options],
      view: (name = "", ...fields) => ["info", name, ...fields],
      "tag add": (...things) => ["tag", "add", ...things],
      "tag remove": (...things) => ["tag", "remove", ...things],
      "tag list": (...things) => ["tag", "list", ...things],
      "owner add": (...things) => ["owner", "add", ...things],
      "owner remove": (...things) => ["owner", "remove", ...things],
      "owner list": (...things) => ["owner", "list", ...things],
    },
    login: (approve) =>
      webLogin(
        hub,
        [place.start(programs.npm), ["login", "--auth-type=web", "--registry", hub]],
        approve,
      ),
  });
}

async function yarn4(hub: string): Promise<Client> {
  const place = await workplace();
  await place.write(
    join(place.project, ".yarnrc.yml"),
    [
      "npmScopes:",
      "  envs:",
      `    npmRegistryServer: ${JSON.stringify(hub)}`,
      // A scope has a gate of its own, of a day, whatever the one above it is.
      "    npmMinimalAgeGate: 0",
      "",
    ].join("\n"),
  );
  const run = place.start(programs.yarn4);
  const command = ["npm", "login", "--scope", "envs", "--web-login"];
  // It asks for a terminal, which `script` is.
  const line = [...programs.yarn4, ...command].map((word) => `'${word}'`).join(" ");
  return client({
    name: "Yarn 4",
    place,
    run,
    verbs: {
      install: (...packages) => [packages.length > 0 ? "add" : "install", ...packages],
      "install again": () => ["install", "--immutable"],
      run: (...words) => ["run", ...words],
      publish: (...options) => ["npm", "publish", ...options],
      view: (name = "", ...fields) => ["npm", "info", name, ...fields],
      whoami: () => ["npm", "whoami", "--scope", "envs"],
      logout: () => ["npm", "logout", "--scope", "envs"],
      audit: () => ["npm", "audit"],
      "tag add": (...things) => ["npm", "tag", "add", ...things],
      "tag remove": (...things) => ["npm", "tag", "remove", ...things],
      "tag list": (...things) => ["npm", "tag", "list", ...things],
      "stage publish": () => ["npm", "publish", "--staged"],
      "stage list": (...things) => ["npm", "stage", "list", "--json", ...things],
      "stage approve": (...things) => ["npm", "stage", "approve", ...things],
      "stage reject": (...things) => ["npm", "stage", "reject", ...things],
    },
    login: (approve) =>
      webLogin(hub, [place.start(["script", "-qec", line, "/dev/null"]), []], approve),
  });
}

/** npm, pnpm and Yarn 1 find a scope's registry in the project's `.npmrc`. */
async function npmPlace(hub: string): Promise<Workplace> {
  const place = await workplace();
  await place.write(join(place.project, ".npmrc"), `@envs:registry=${hub}\n`);
  return place;
}
