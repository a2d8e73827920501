import reverseText from "@envs/reverse-text";
// Train a large model with the plan of a tiny one: a GPU service samples and learns, this program plays and scores.
import { type Renderer, tinkerBackend, train, trainingPlan } from "@envs/trainer";

/** Prints the reward of each training step. */
export async function trainOnService(baseURL: string, renderer: Renderer): Promise<void> {
  // #region train
  const plan = trainingPlan.parse({
    phases: {
      rl: {
        kind: "rl",
        steps: 3,
        sources: [{ config: { examples: 100, maxLength: 20 }, groups: 4 }],
        rolloutsPerExample: 8,
        maxTokens: 64,
        loss: { name: "cispo" },
        optimizer: { learningRate: 5e-5, epsilon: 1e-12 },
      },
    },
  });
  const backend = await tinkerBackend({
    baseURL,
    apiKey: process.env["TINKER_API_KEY"] ?? "",
    baseModel: "Qwen/Qwen3-4B-Instruct-2507",
    renderer,
    contextLength: 512,
  });
  const chats = async () => [];
  for await (const event of train({ factory: reverseText, backend, plan, chats }))
    if (event.type === "step") console.log(event.step, event.report.values["reward"]);
  await backend.close();
  // #endregion
}
