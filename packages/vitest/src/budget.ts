import { type Model, type ModelResponse, RolloutError } from "@envs/core";
import type { AgentCall } from "@envs/core/engine";
import { costOf, type TokenPrice } from "@envs/models/prices";

/** The budget of a suite's trials. Recorded replies count like those of the model. */
export interface Budget {
  /** The tokens of all calls: of the model, of an agent's helpers, of sub-models and of judges. */
  readonly tokens?: number | undefined;
  /** The cost of the calls of the model, of helpers, of sub-models, and of judges with a known price. */
  readonly cost?: number | undefined;
}

/** Counts what models cost, and refuses calls when the budget is spent. Running calls still finish. */
export class BudgetMeter {
  readonly #budget: Budget;
  #isPriced = false;
  tokens = 0;
  cost = 0;
  calls = 0;
  /** The number of calls whose tokens the model does not report. */
  unknownCalls = 0;

  constructor(budget: Budget = {}) {
    this.#budget = budget;
  }

  /**
   * Wraps a model, whose calls cost nothing without a price. The calls of an agent count one by one, because those that it cancels,
   * or that fail, may lead to no reply; those of its helpers without a price cost as the model's.
   */
  wrap(
    model: Model,
    price?: TokenPrice,
    helperPrices: Readonly<Record<string, TokenPrice | undefined>> = {},
  ): Model {
    const counted = new WeakSet<AgentCall>();
    const count = (call: AgentCall): void => {
      if (counted.has(call)) return;
      counted.add(call);
      this.add(call, (call.isHelper && helperPrices[call.requestedModel]) || price);
    };
    const ask: Model = async (request) => {
      this.#refuse();
      const onCall = (call: AgentCall): void => {
        count(call);
        request.onCall?.(call);
      };
      const response = await model({ ...request, onCall });
      if (response.calls === undefined) this.add(response, price);
      else response.calls.forEach(count);
      return response;
    };
    return Object.assign(ask, { id: model.id, check: model.check });
  }

  /** The limit that is exceeded, as text; `undefined` if none is. */
  get problem(): string | undefined {
    const { tokens = Infinity, cost = Infinity } = this.#budget;
    if (this.tokens > tokens)
      return `The trials used ${this.tokens} tokens; the budget is ${tokens}.`;
    if (this.cost > cost) return `The trials cost ${this.cost.toFixed(4)}; the budget is ${cost}.`;
    return undefined;
  }

  /** The tokens and the cost so far, as text. */
  get text(): string {
    const cost = this.#isPriced ? `, cost ${this.cost.toFixed(4)}` : "";
    const unknown = this.unknownCalls === 0 ? "" : `, ${this.unknownCalls} calls of unknown size`;
    return `${this.tokens} tokens in ${this.calls} calls${cost}${unknown}`;
  }

  #refuse(): void {
    const { tokens = Infinity, cost = Infinity } = this.#budget;
    const isLimited = tokens !== Infinity || cost !== Infinity;
    if (isLimited && this.unknownCalls > 0)
      throw new RolloutError(
        "model",
        "The model does not report its usage, so the budget cannot be enforced. Remove the budget, or limit examples and trials.",
        { isFatal: true },
      );
    if (this.tokens < tokens && this.cost < cost) return;
    throw new RolloutError(
      "model",
      `The budget is spent: ${this.text}. Raise the budget, or play fewer examples or trials.`,
      { isFatal: true },
    );
  }

  add({ usage }: Pick<ModelResponse, "usage">, price?: TokenPrice): void {
    this.calls += 1;
    if (usage === undefined) {
      this.unknownCalls += 1;
      return;
    }
    const { inputTokens, outputTokens } = usage;
    this.tokens += inputTokens + outputTokens;
    if (price === undefined) return;
    this.#isPriced = true;
    this.cost += costOf(usage, price);
  }
}
