// An episode never calls a model. Its driver makes four calls: start, step, score, close.
import { assistantMessage } from "@envs/core";
import { episode, examples } from "@envs/core/engine";
import doubleCheck from "@envs/double-check";

const environment = doubleCheck({ minLevel: 1, maxLevel: 1 });

// #region drive
for await (const { example, key } of examples(environment, { count: 1 })) {
  const game = episode(environment, example, { key });
  try {
    await game.start();
    console.log(game.prompt.at(-1)?.content);

    const second = await game.step(assistantMessage(`\\boxed{${example.answer}}`));
    console.log(second.messages.at(-1)?.content, second.isDone);

    const last = await game.step(assistantMessage("Yes, I am sure."));
    console.log(last.isDone, last.stopReason);

    const { reward, scores } = await game.score();
    console.log(reward, scores.rightToWrong);
  } finally {
    await game.close();
  }
}
// #endregion
