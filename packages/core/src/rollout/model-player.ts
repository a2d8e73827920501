import type { Asking } from "../episode/drive.ts";
import type { PlayerLimit } from "../episode/table.ts";
import { RolloutError } from "../errors.ts";
import type { HookScope } from "../hook-scope.ts";
import { now } from "../model/clock.ts";
import type { AgentCall, Model, ModelResponse, Sampling } from "../model/model.ts";
import { type Turn } from "../model/trajectory.ts";
import type { Random } from "../random.ts";
import { askModel } from "./ask-model.ts";

/** The limits and settings of the models of one rollout. */
export interface ModelPlayerOptions {
  readonly controller: AbortController;
  readonly sampling?: Sampling | undefined;
  readonly turnTimeout?: number | undefined;
  readonly maxTotalTokens?: number | undefined;
}

interface PlayerSite {
  /** Names the conversation for servers that cache prefixes. */
  readonly session: string;
  readonly seeds: Random;
}

/** A model that plays one conversation of a rollout, and its turns. */
export class ModelPlayer {
  readonly turns: Turn[] = [];
  /** The calls of an agent that belong to no turn yet. */
  readonly unfinishedCalls: AgentCall[] = [];
  readonly #model: Model;
  readonly #site: PlayerSite;
  readonly #options: ModelPlayerOptions;
  #outputTokens = 0;

  constructor(model: Model, site: PlayerSite, options: ModelPlayerOptions) {
    this.#model = model;
    this.#site = site;
    this.#options = options;
  }

  /** The name of the model. */
  get model(): string | undefined {
    return this.#model.id;
  }

  /** Requests the next reply, and records it before the environment sees it: the record keeps it if the environment throws. */
  async playTurn(asking: Asking, scope: HookScope): Promise<ModelResponse | PlayerLimit> {
    const { session, seeds } = this.#site;
    const { controller, sampling, turnTimeout, maxTotalTokens = Infinity } = this.#options;
    if (this.#outputTokens >= maxTotalTokens) return "tokens";
    const seen = asking.messages.length;
    const start = now();
    const seed = seeds.int(2 ** 31);
    const model = this.#model;
    const onCall = (call: AgentCall): void => void this.unfinishedCalls.push(call);
    const asked = { model, sampling, turnTimeout, seed, session, scope, controller, onCall };
    const response = await askModel(asking, asked);
    if (response === undefined) return "context";
    controller.signal.throwIfAborted();
    const { usage, tokens, calls, ...reply } = response;
    this.unfinishedCalls.splice(0, calls?.length ?? 0);
    const end = now();
    const called = { seen, ...reply, usage, tokens, calls, model: { start, end } };
    this.turns.push({ ...called, environment: { start: end, end } });
    if (usage === undefined && maxTotalTokens !== Infinity) throw usageRequired(maxTotalTokens);
    for (const call of [response, ...(calls ?? []).filter(({ isHelper }) => isHelper)])
      this.#outputTokens += call.usage?.outputTokens ?? 0;
    return response;
  }

  /** Records that the environment has answered the last reply, and returns its turn. */
  endTurn(): Turn {
    const last = this.turns.at(-1)!;
    const turn = { ...last, environment: { start: last.environment.start, end: now() } };
    this.turns[this.turns.length - 1] = turn;
    return turn;
  }
}

/** The error for a limit of tokens that a model without usage cannot keep. */
function usageRequired(maxTotalTokens: number): RolloutError {
  return new RolloutError(
    "model",
    `The model does not report its usage, so the limit of ${maxTotalTokens} tokens cannot be enforced. Omit the limit, or limit the turns.`,
    { isFatal: true },
  );
}
