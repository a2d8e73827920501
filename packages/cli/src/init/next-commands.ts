/** The commands for a new package, in the words of the package manager that its author uses. */
export interface NextCommands {
  readonly install: string;
  readonly test: string;
  readonly check: string;
  readonly evaluate: string;
  readonly view: string;
  /** Runs `envs` of the package, and never downloads a program of that name. */
  readonly envs: string;
}

/** Returns the commands for the package manager that started this process: `pnpm/12.1.0 npm/? …`. Without one, npm's. */
export function nextCommands(userAgent: string | undefined, isInClone: boolean): NextCommands {
  const name = /^(npm|pnpm|yarn|bun)\//.exec(userAgent ?? "")?.[1] ?? "npm";
  const manager = isInClone ? "npx -y pnpm@12" : name;
  // Always with `run`: `pnpm view` and `yarn check` are commands of the package managers themselves.
  return {
    install: `${manager} install`,
    test: `${manager} run test`,
    check: `${manager} run check`,
    evaluate: `${manager} run eval`,
    view: `${manager} run view`,
    envs: manager === "npm" ? "npx --no envs" : `${manager} ${execWords[name] ?? "exec"} envs`,
  };
}

const execWords: Readonly<Record<string, string>> = { yarn: "run", bun: "run" };
