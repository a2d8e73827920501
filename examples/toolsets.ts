// Tools that environments share, tools that depend on the example, and state that is disposed.
import { callTools, defineEnvironment, evaluate, tool } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import * as z from "zod";

// #region toolset
/** Tools of a bank account. The caller decides whether the model may pay. */
function bank(account: Account, { mayPay }: { mayPay: boolean }) {
  const balance = tool({
    description: "Returns the balance of the account.",
    input: z.object({}),
    timeout: 5000,
    execute: (_input, { signal }) => account.balance(signal),
  });
  const pay = tool({
    description: "Pays an amount.",
    input: z.object({ amount: z.number().positive() }),
    // Runs alone, because two concurrent payments could overdraw the account.
    sequential: true,
    execute: ({ amount }) => account.pay(amount),
  });
  return mayPay ? { balance, pay } : { balance };
}
// #endregion

// #region state
/** A connection to a bank, which must be closed. */
class Account implements AsyncDisposable {
  #cents: number;

  constructor(cents: number) {
    this.#cents = cents;
  }

  async balance(signal: AbortSignal): Promise<number> {
    signal.throwIfAborted();
    return this.#cents / 100;
  }

  async pay(amount: number): Promise<string> {
    this.#cents -= 100 * amount;
    return "Paid.";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    console.log("The connection is closed.");
  }
}
// #endregion

// #region environment
const teller = defineEnvironment({
  name: "teller",

  dataset: () => [
    { prompt: "How much is there? Pay 7 and 5.", mayPay: true, left: 8 },
    { prompt: "How much is there? Pay 7 and 5.", mayPay: false, left: 20 },
  ],

  setup: () => ({ account: new Account(2000) }),

  tools: ({ example, state }) => bank(state.account, example),

  rubric: {
    left: async ({ example, state, signal }) =>
      (await state.account.balance(signal)) === example.left,
  },
});
// #endregion

/** Calls all tools at once, whether they exist or not. */
const model = scriptedModel(
  callTools([
    ["balance", {}],
    ["pay", { amount: 7 }],
    ["pay", { amount: 5 }],
  ]),
  "Done.",
);

const { reward, tools, rollouts } = await evaluate(teller(), { model, rolloutsPerExample: 1 });
for (const { completion } of rollouts)
  console.log(completion.flatMap(({ role, content }) => (role === "tool" ? [content] : [])));
console.log(`reward ${reward.mean}`);
for (const [name, { calls: count, errors }] of Object.entries(tools))
  console.log(`${name}: ${count} calls, ${errors} errors`);
