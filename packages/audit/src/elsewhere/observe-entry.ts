// The process of one variation: receives a task, sends what it observed, and ends.
import type { EnvironmentFactory } from "@envs/core";
import { canonicalJson, examples, messageOf, replay } from "@envs/core/engine";

import { inParallel } from "../in-parallel.ts";
import type { Observed, ObservationTask, ObservedRollout } from "./task.ts";
import { vary } from "./vary.ts";

process.once("message", (task: ObservationTask) => {
  observe(task).then(send, (error: unknown) => send({ problem: messageOf(error) }));
});

function send(message: Observed | { readonly problem: string }): void {
  process.send?.(message, () => process.exit(0));
}

async function observe({
  module,
  config,
  variation,
  seed,
  split,
  count,
  played,
}: ObservationTask): Promise<Observed> {
  vary(variation);
  const { default: factory } = (await import(module)) as { readonly default: EnvironmentFactory };
  const environment = factory(config);
  const rows = await Array.fromAsync(examples(environment, { seed, split, count }));
  const repeat = async ({
    position,
    completion,
  }: ObservationTask["played"][number]): Promise<ObservedRollout> => {
    try {
      const { example, key } = rows[position]!;
      const main = await replay(environment, example, { key, seed, completion });
      try {
        const { reward } = await main.score({ skipJudged: true });
        return { messages: main.messages.slice(), reward };
      } finally {
        await main.close();
      }
    } catch (error) {
      return { messages: [], reward: null, error: messageOf(error) };
    }
  };
  return { rows: rows.map(canonicalJson), played: await inParallel(played, repeat) };
}
