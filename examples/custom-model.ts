// A model is a function from a conversation to the next message, so you can write and wrap one like any function.
import { assistantMessage, evaluate, lastReply, type Model, textOf } from "@envs/core";
import reverseText from "@envs/reverse-text";

// #region model
/** Reverses two texts out of three; the seed decides which. */
const unsure: Model = async ({ messages, seed = 0 }) => {
  const question = textOf(messages.at(-1)!.content);
  const answer = seed % 3 === 0 ? question : Array.from(question).toReversed().join("");
  return { message: assistantMessage(`<reversed>${answer}</reversed>`), finish: "stop" };
};
// #endregion

// #region wrapper
/** Samples a model several times and returns the most common answer. */
function majority(model: Model, votes: number): Model {
  return async (request) => {
    const seeds = Array.from({ length: votes }, (_, vote) => (request.seed ?? 0) + vote);
    const responses = await Promise.all(seeds.map((seed) => model({ ...request, seed })));
    const ballots = Map.groupBy(responses, ({ message }) => lastReply([message]));
    const [winners] = [...ballots.values()].toSorted((a, b) => b.length - a.length);
    return winners![0]!;
  };
}
// #endregion

for (const [name, model] of Object.entries({ alone: unsure, majority: majority(unsure, 3) })) {
  const { scores } = await evaluate(reverseText(), { model, examples: 20, rolloutsPerExample: 5 });
  console.log(`${name}: ${((scores.exact.mean ?? 0) * 100).toFixed(0)} % exact`);
}
