import type { Environment } from "../definition/environment.ts";
import { boundary, RolloutError } from "../errors.ts";
import { textOf } from "../message/content.ts";
import { assistantMessage, type AssistantMessage } from "../message/message.ts";
import type { ModelRequest } from "../model/model.ts";
import type { Random } from "../random.ts";

interface ScriptedCall extends Pick<ModelRequest, "messages"> {
  readonly example: unknown;
  readonly random: Random;
}

/** What the environment's scripted sub-model replies. */
export async function scriptedReply(
  { name, config, definition }: Environment,
  { example, messages, random }: ScriptedCall,
): Promise<AssistantMessage> {
  const { subModel } = definition;
  if (subModel?.policy === undefined)
    throw new RolloutError(
      "model",
      `${name} asks a sub-model, and there is neither a model nor a subModel.policy that answers. Pass a model as the option subModel.`,
      { isFatal: true },
    );
  const prompt = textOf(messages.at(-1)?.content ?? "");
  const context = { config: config as never, example: example as never, messages, prompt, random };
  const reply = await boundary("environment", "subModel.policy", () => subModel.policy!(context));
  return typeof reply === "string" ? assistantMessage(reply) : reply;
}
