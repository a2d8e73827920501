import { RolloutError } from "../errors.ts";
import { contentHash, omitUndefined } from "../json.ts";
import type { Message } from "../message.ts";
import type { Model, ModelRequest, ModelResponse, Sampling, ToolSpec } from "../model.ts";
import { describeChange } from "./describe-change.ts";

/** What a recording keeps of a request: all that decides the reply of a model, except for its seed. */
export interface RecordedRequest {
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSpec[] | undefined;
  readonly sampling?: Sampling | undefined;
}

/** One call of a model. */
export interface Recording {
  readonly model: string;
  /** The number of the rollout within its group: trials of the same request have their own replies. */
  readonly trial: number;
  readonly request: RecordedRequest;
  /** Without the tokens, which only trainers read. */
  readonly response: Omit<ModelResponse, "tokens">;
}

/**
 * - `replay`: every reply is a recorded one. A request without a recording fails its rollout, and the model is never called.
 * - `auto`: requests without a recording are sent to the model and recorded.
 * - `record`: every request is sent to the model. Its recording is replaced.
 */
export type CassetteMode = "replay" | "auto" | "record";

export interface CassetteOptions {
  readonly mode: CassetteMode;
  /** The recordings so far. */
  readonly recordings?: Iterable<Recording> | undefined;
  /** Where the recordings come from and how to renew them, for error messages. */
  readonly source?: string | undefined;
}

/** The recorded replies of models, by model, request and trial. */
export interface Cassette {
  /** Wraps a model: it has the same name, and replies as the mode says. Judges can be wrapped, too. */
  wrap(model: Model): Model;
  /** All recordings, ordered by their keys: equal contents give equal files. */
  recordings(): readonly Recording[];
  /** How many calls were answered from recordings and by models, and how many recordings no call has used. */
  counts(): { readonly replayed: number; readonly recorded: number; readonly unused: number };
}

/** Creates a cassette in memory. `openCassette` of `@envs/core/node` keeps one in a file. */
export function cassette(options: CassetteOptions): Cassette {
  const { mode, source = "the cassette" } = options;
  const byKey = new Map<string, Recording>();
  for (const recording of options.recordings ?? []) byKey.set(keyOf(recording), recording);
  const used = new Set<string>();
  let replayed = 0;
  let recorded = 0;

  const wrap = (model: Model): Model => {
    const id = model.id ?? "model";
    const ask: Model = async (request) => {
      request.signal.throwIfAborted();
      const wanted = { model: id, trial: trialOf(request), request: recordedRequest(request) };
      const key = keyOf(wanted);
      used.add(key);
      const known = mode === "record" ? undefined : byKey.get(key);
      if (known !== undefined) {
        replayed += 1;
        return known.response;
      }
      if (mode === "replay") throw missing(wanted, [...byKey.values()], source);
      const { tokens: _, ...response } = await model(request);
      recorded += 1;
      byKey.set(key, { ...wanted, response });
      return response;
    };
    // A replay needs no API key, which the check of a served model requires.
    const check = mode === "replay" ? undefined : model.check;
    return Object.assign(ask, omitUndefined({ id: model.id, check }));
  };

  return {
    wrap,
    recordings: () =>
      [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, recording]) => recording),
    counts: () => ({
      replayed,
      recorded,
      unused: [...byKey.keys()].filter((key) => !used.has(key)).length,
    }),
  };
}

type Wanted = Omit<Recording, "response">;

/** Not by example: a changed answer or a moved row leaves the requests as they are. */
function keyOf({ model, trial, request }: Wanted): string {
  const first = request.messages.find(({ role }) => role !== "system");
  // Turns of a conversation are neighbours in the file.
  const conversation = contentHash([model, first ?? null]);
  const turn = String(request.messages.length).padStart(4, "0");
  return `${conversation} ${String(trial).padStart(4, "0")} ${turn} ${contentHash(request)}`;
}

function recordedRequest({ messages, tools, sampling }: ModelRequest): RecordedRequest {
  const set = omitUndefined(sampling ?? {});
  return {
    messages,
    ...(tools === undefined || tools.length === 0 ? {} : { tools }),
    ...(Object.keys(set).length === 0 ? {} : { sampling: set }),
  };
}

/** A rollout's session ends with its number within the group. Judges have no session: equal questions share one answer. */
function trialOf({ session }: ModelRequest): number {
  const trial = /\/(\d+)$/u.exec(session ?? "")?.[1];
  return trial === undefined ? 0 : Number(trial);
}

function missing(wanted: Wanted, recordings: readonly Recording[], source: string): RolloutError {
  const which = `request ${wanted.request.messages.length} messages long of trial ${wanted.trial}`;
  const change = describeChange(wanted, recordings);
  return new RolloutError("model", `No recorded reply in ${source} for a ${which}. ${change}`, {
    isFatal: true,
  });
}
