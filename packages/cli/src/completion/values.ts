import { ownScope } from "../terminal/own-scope.ts";

/** A possible value, with the description that a shell shows beside it. */
export interface Candidate {
  readonly value: string;
  readonly text: string;
}

interface CommandArguments {
  /** The arguments before the word to complete. */
  readonly args: readonly string[];
  readonly typed: string;
}

type Values = (line: CommandArguments) => Promise<readonly Candidate[]>;

/** The source of the values of each option or argument, by its name. */
const kinds: Readonly<Record<string, Values>> = {
  environment: environments,
  run: runs,
  before: runs,
  after: runs,
  resume: runs,
  model: models,
  judge: models,
  "sub-model": models,
  reflection: models,
  shell: () => Promise.resolve(["bash", "zsh", "fish"].map((value) => ({ value, text: "" }))),
};

/** Returns the possible values of an option or argument; none if they are unknown or cannot be read. */
export async function valuesOf(
  name: string,
  line: CommandArguments,
): Promise<readonly Candidate[]> {
  const values = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  return (await values?.(line).catch(() => [])) ?? [];
}

/** Names our own packages without their scope, unless the word begins with it. */
async function environments({ typed }: CommandArguments): Promise<readonly Candidate[]> {
  const { installedEnvironments } = await import("../environments/installed-environments.ts");
  const installed = await installedEnvironments(process.cwd());
  const prefix = typed.startsWith("@") ? "" : `${ownScope}/`;
  return installed.map(({ name = "", description = "" }) => ({
    value: name.startsWith(prefix) ? name.slice(prefix.length) : name,
    text: description,
  }));
}

async function runs(): Promise<readonly Candidate[]> {
  const { findRuns } = await import("@envs/records/node");
  return (await findRuns("outputs")).map((value) => ({ value, text: "" }));
}

async function models({ args }: CommandArguments): Promise<readonly Candidate[]> {
  const found = await Promise.all(
    [endpoints(), tinyModels(), policies(args)].map((each) => each.catch(() => [])),
  );
  return found.flat();
}

async function endpoints(): Promise<readonly Candidate[]> {
  const { loadConfigFile } = await import("../config-file.ts");
  const { endpoints: named } = await loadConfigFile(undefined);
  return Object.entries(named).map(([value, { model }]) => ({ value, text: model }));
}

/** The tiny models that the project depends on: `tiny:base` is in the package `@envs/tiny-base`. */
async function tinyModels(): Promise<readonly Candidate[]> {
  const { readPackageJson } = await import("../environments/package-json.ts");
  const { dependencies, devDependencies } = await readPackageJson(process.cwd());
  return Object.keys({ ...dependencies, ...devDependencies }).flatMap((name) => {
    const model = name.startsWith(`${ownScope}/tiny-`) ? name.slice(ownScope.length + 6) : "model";
    return model === "model" ? [] : [{ value: `tiny:${model}`, text: name }];
  });
}

/** The policies of the environment that precedes on the command line. */
async function policies(args: readonly string[]): Promise<readonly Candidate[]> {
  const reference = args.find((word) => !word.startsWith("-")) ?? "";
  const { findModule, loadEnvironment } = await import("../environments/load-environment.ts");
  if (findModule(reference, process.cwd()) === undefined) return [];
  const { factory } = await loadEnvironment(reference);
  return Object.keys(factory.definition.policies ?? {}).map((name) => ({
    value: `policy:${name}`,
    text: `Policy of ${reference}`,
  }));
}
