import { type ModelLoader, loadModels } from "@envs/cli/kit/models";
import { ConfigError } from "@envs/core";
import { mapValues } from "@envs/core/engine";

import type { Agent } from "../agent/agent.ts";

type LoadModel = Parameters<ModelLoader>[2];
type Loaded = Awaited<ReturnType<LoadModel>>;

/**
 * Gives an agent the models of `<model>`, or of `<name>=<model>,<name>=<model>` with the names that the agent asks for. The first
 * plays. The others are helpers, as are those of the first one's endpoint.
 */
export async function withModels(
  agent: Agent,
  reference: string,
  loadModel: LoadModel,
): Promise<Loaded> {
  // Models may have commas and equal signs in their names.
  const [first, ...others] = reference.split(/,(?=[A-Za-z][\w.-]*=)/u).map(assignment);
  const names = [first!, ...others].flatMap(({ name }) => name ?? []);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new ConfigError(`-m names two models ${twice} for the agent. Remove one of them.`);
  const loaded = await loadModel(first!.model);
  const named = Object.fromEntries(others.map(({ name, model }) => [name, model]));
  const { models, close } = await loadModels(named, loadModel);
  const helpers = { ...loaded.helpers, ...models };
  const hasHelpers = Object.keys(helpers).length > 0;
  const model = agent.withModel(loaded.model, {
    modelName: first!.name ?? (hasHelpers ? first!.model : undefined),
    helpers: mapValues(helpers, (helper) => helper.model),
  });
  const closeAll = async (): Promise<void> => {
    await close();
    await loaded.close();
  };
  return { ...loaded, model, ...(hasHelpers && { helpers }), close: closeAll };
}

function assignment(text: string): { readonly name: string | undefined; readonly model: string } {
  const { name, model = text } =
    /^(?<name>[A-Za-z][\w.-]*)=(?<model>.+)$/su.exec(text)?.groups ?? {};
  return { name, model };
}
