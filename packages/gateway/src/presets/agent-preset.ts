import { ConfigError } from "@envs/core";

import type { Agent, AgentOptions } from "../agent/agent.ts";
import { agentProgram } from "../agent/program.ts";
import type { DialectName } from "../dialects/dialect.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { geminiCli } from "./gemini-cli.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import type { Preset } from "./preset.ts";
import { qwenCode } from "./qwen-code.ts";

const presets: Readonly<Record<string, Preset>> = {
  pi,
  codex,
  opencode,
  "claude-code": claudeCode,
  "gemini-cli": geminiCli,
  "qwen-code": qwenCode,
};

const names = Object.keys(presets);

/** Whether there is a preset of this name. */
export function isPreset(name: string): boolean {
  return names.includes(name);
}

export interface AgentPresetOptions extends AgentOptions {
  /** The wire format between the program and its model. Default: the first dialect of the preset. */
  readonly dialect?: DialectName | undefined;
  /** Whether to speak the Agent Client Protocol with the program. Default: it runs once for each observation. */
  readonly acp?: boolean | undefined;
}

/** Makes a model of a known agent program, such as `pi` or `codex`. Throws a `ConfigError` for another name or dialect. */
export function agentPreset(name: string, options: AgentPresetOptions = {}): Agent {
  const preset = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (preset === undefined)
    throw new ConfigError(
      `There is no preset for the program ${JSON.stringify(name)}. There are presets for ${names.join(", ")}. For another program, export agentProgram({ command }) from a module, and pass -m agent:<module>.`,
    );
  const { dialect = preset.dialects[0], acp = false, ...rest } = options;
  if (!preset.dialects.includes(dialect))
    throw new ConfigError(
      `${name} does not speak ${JSON.stringify(dialect)} here. Choose one of ${preset.dialects.join(", ")}.`,
    );
  if (acp && preset.acp === undefined)
    throw new ConfigError(
      `${name} does not speak ACP. Choose one of ${names.filter((each) => presets[each]!.acp !== undefined).join(", ")}, or pass the command of an adapter: -m "acp:<command>@<model>".`,
    );
  const program = preset.program(dialect);
  if (!acp) return agentProgram({ id: name, ...program, ...rest });
  return agentProgram({ id: `acp:${name}`, ...program, acp, args: preset.acp, ...rest });
}
