import { ConfigError } from "@envs/core";
import type { DialectName } from "@envs/gateway";

import type { LoadedModel } from "./loaded-model.ts";

/** `<program>` or `<program>:<dialect>`, and the model that answers its calls. A model's name may have an `@`. */
const pattern = /^(?<program>[^:@]+)(?::(?<dialect>[^@]+))?(?:@(?<model>.+))?$/u;

/** Loads a known agent program, such as `pi@gpt-5-mini` or `pi:messages@gpt-5-mini`. */
export async function loadProgram(
  reference: string,
  loadModel: (name: string) => Promise<LoadedModel>,
): Promise<LoadedModel> {
  const { program = "", dialect, model: name } = pattern.exec(reference)?.groups ?? {};
  // Imported only when needed: most commands run no agent.
  const { agentPreset } = await import("@envs/gateway");
  const agent = agentPreset(program, { dialect: dialect as DialectName | undefined });
  if (name === undefined)
    throw new ConfigError(
      `The program ${program} has no model. Name the one that answers its calls: -m program:${reference}@gpt-5-mini`,
    );
  const upstream = await loadModel(name);
  return { ...upstream, model: agent.withModel(upstream.model) };
}
