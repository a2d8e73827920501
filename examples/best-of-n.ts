// Best of n: three writers answer the same question, none sees the others, and a picker chooses one answer.
import {
  assistantMessage,
  defineEnvironment,
  end,
  evaluate,
  invalid,
  type Model,
  policy,
  textOf,
} from "@envs/core";

// #region environment
const writers = ["writer1", "writer2", "writer3"] as const;
const writer = { policy: "guess" };

const bestOfThree = defineEnvironment({
  name: "best-of-three",

  *dataset({ random }) {
    for (let index = 0; index < 60; index += 1) {
      const [a, b] = [10 + random.int(90), 10 + random.int(90)];
      yield { prompt: `What is ${a} + ${b}?`, answer: `${a + b}` };
    }
  },
  setup: () => ({ answers: {} as Record<string, string>, pick: undefined as number | undefined }),

  seats: {
    players: { picker: {}, writer1: writer, writer2: writer, writer3: writer },
    turn: ({ state }) => (Object.keys(state.answers).length === 0 ? writers : "picker"),
    observe({ state: { answers, pick }, seat }) {
      if (seat !== "picker" || pick !== undefined) return [];
      return writers.map((name, index) => `${index + 1}. ${answers[name]}`).join("\n");
    },
  },
  respond({ reply, seat, state }) {
    if (seat !== "picker") {
      state.answers[seat] = reply;
      return [];
    }
    if (!/^[123]$/.test(reply)) return invalid("Choose 1, 2 or 3.");
    state.pick = Number(reply) - 1;
    return end();
  },

  rubric: {
    correct({ state: { answers, pick = -1 }, seat, example }) {
      const answer = answers[seat === "picker" ? writers[pick]! : seat];
      return answer === example.answer;
    },
  },
  policies: {
    // Half of the answers are right.
    guess: ({ example, random }) =>
      random.next() < 0.5 ? example.answer : `${20 + random.int(179)}`,
    first: () => "1",
  },
});
// #endregion

// #region run
/** Picks the answer that most writers give. */
const majority: Model = async ({ messages }) => {
  const answers = textOf(messages.at(-1)!.content)
    .split("\n")
    .map((line) => line.slice(3));
  const votes = answers.map((answer) => answers.filter((other) => other === answer).length);
  return { message: assistantMessage(`${votes.indexOf(Math.max(...votes)) + 1}`), finish: "stop" };
};

const guess = policy("guess");
const { seats = {} } = await evaluate(bestOfThree(), {
  model: { picker: majority, writer1: guess, writer2: guess, writer3: guess },
  examples: 60,
  rolloutsPerExample: 10,
});
for (const [seat, { reward }] of Object.entries(seats))
  console.log(`${seat} ${reward.mean!.toFixed(2)}`);
// #endregion
