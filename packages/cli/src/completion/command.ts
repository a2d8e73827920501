import { script } from "@bomb.sh/tab";

import type { EnvsCommand } from "../terminal/command.ts";
import { UsageError } from "../terminal/errors.ts";
import { argument } from "../terminal/options.ts";
import { bashScript } from "./bash-script.ts";
import { shellVariable } from "./complete.ts";

const shells = ["bash", "zsh", "fish"] as const;

const options = {
  shell: argument(`One of: ${shells.join(", ")}`),
} as const;

export const command: EnvsCommand<typeof options> = {
  meta: {
    name: "completion",
    description:
      "Print a script that completes commands, options, environments, models and runs. For bash, add to ~/.bashrc: source <(envs completion bash); for zsh, after compinit in ~/.zshrc: source <(envs completion zsh); for fish: envs completion fish > ~/.config/fish/completions/envs.fish",
  },
  args: options,
  run({ args: { shell: name } }): void {
    const shell = shells.find((candidate) => candidate === name);
    if (shell === undefined)
      throw new UsageError(
        `${name === undefined ? "Missing shell" : `Unknown shell ${JSON.stringify(name)}`}. Write: envs completion ${shells.join("|")}`,
      );
    if (shell === "bash") process.stdout.write(bashScript);
    else script(shell, "envs", shell === "zsh" ? `${shellVariable}=zsh envs` : "envs");
  },
};
