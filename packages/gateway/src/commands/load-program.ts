import type { ModelLoader } from "@envs/cli/kit/models";
import { ConfigError } from "@envs/core";

import type { DialectName } from "../dialects/dialect.ts";
import { agentPreset } from "../presets/agent-preset.ts";
import { withModels } from "./with-models.ts";

/** `<program>` or `<program>:<dialect>`, and the models that answer its calls. A model's name may have an `@`. */
const pattern = /^(?<program>[^:@]+)(?::(?<dialect>[^@]+))?(?:@(?<models>.+))?$/u;

/** Loads a known agent program, such as `pi@gpt-5-mini` or `pi:messages@gpt-5-mini`. */
export const loadProgram: ModelLoader = async (reference, _options, loadModel) => {
  const { program = "", dialect, models } = pattern.exec(reference)?.groups ?? {};
  const agent = agentPreset(program, { dialect: dialect as DialectName | undefined });
  if (models === undefined)
    throw new ConfigError(
      `The program ${program} has no model. Name the one that answers its calls: -m program:${reference}@gpt-5-mini`,
    );
  return withModels(agent, models, loadModel);
};
