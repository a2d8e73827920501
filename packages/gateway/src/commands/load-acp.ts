import type { ModelLoader } from "@envs/cli/kit/models";
import { ConfigError } from "@envs/core";

import { agentProgram } from "../agent/program.ts";
import { agentPreset, isPreset } from "../presets/agent-preset.ts";
import { withModels } from "./with-models.ts";

/** Loads an agent that speaks ACP: a known program or a command, and its model, such as `gemini-cli@gpt-5-mini`. */
export const loadAcp: ModelLoader = (reference, _options, loadModel) => {
  // A command may name a package with a version.
  const at = reference.lastIndexOf("@");
  const [command, model] = [reference.slice(0, at).trim(), reference.slice(at + 1)];
  if (at < 1 || command === "" || model === "")
    throw new ConfigError(
      `-m acp:${reference} needs a command, and the model that answers its calls: -m "acp:my-agent --acp@gpt-5-mini"`,
    );
  const agent = isPreset(command)
    ? agentPreset(command, { acp: true })
    : agentProgram({
        id: `acp:${command}`,
        command: "sh",
        args: ["-c", `exec ${command}`],
        acp: true,
      });
  return withModels(agent, model, loadModel);
};
