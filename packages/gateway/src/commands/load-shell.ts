import type { ModelLoader } from "@envs/cli/kit/models";
import { ConfigError } from "@envs/core";

import { shellAgent } from "../shell/shell-agent.ts";
import { withModels } from "./with-models.ts";

/** Loads our own plain agent with its model, such as `gpt-5-mini`. */
export const loadShell: ModelLoader = (reference, _options, loadModel) => {
  if (reference === "")
    throw new ConfigError("The agent shell has no model. Name one: -m shell:gpt-5-mini");
  return withModels(shellAgent(), reference, loadModel);
};
