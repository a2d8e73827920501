import { programs } from "../support/clients.ts";

/** The commands with which a person who has only a package manager creates, runs and publishes an environment. */
export interface Stranger {
  readonly manager: "npm" | "pnpm" | "bun";
  /** The command line of the package manager. */
  readonly program: readonly string[];
  /** Arguments that create an environment from a registry. */
  create(name: string, registry: string): readonly string[];
  readonly publish: readonly string[];
  /** Variables that select the registry of `create`, where an option cannot. */
  variables(registry: string): Readonly<Record<string, string>>;
}

/** Options of `create`. Each stranger writes another kind of environment. */
const options = (kind: "single" | "multi" | "tools"): readonly string[] => [
  "--kind",
  kind,
  "--scope",
  "@ada",
  "--yes",
];

export const strangers: readonly Stranger[] = [
  {
    manager: "npm",
    program: programs.npm,
    create: (name, registry) => [
      "create",
      "--yes",
      `--registry=${registry}`,
      "envs@latest",
      name,
      "--",
      ...options("multi"),
    ],
    publish: ["publish"],
    variables: () => ({}),
  },
  {
    manager: "pnpm",
    program: programs.pnpm,
    create: (name) => ["create", "envs@latest", name, ...options("single")],
    publish: ["publish", "--no-git-checks"],
    variables: (registry) => ({ pnpm_config_registry: registry }),
  },
  {
    manager: "bun",
    program: programs.bun,
    create: (name) => ["create", "envs@latest", name, ...options("tools")],
    publish: ["publish"],
    variables: (registry) => ({ BUN_CONFIG_REGISTRY: registry }),
  },
];
