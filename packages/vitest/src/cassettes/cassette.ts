import { type Model, type ModelRequest, RolloutError } from "@envs/core";
import { contentHash, omitUndefined } from "@envs/core/engine";

import { describeChange } from "./describe-change.ts";
import { codeOf } from "./model-code.ts";
import { defaultNormalisers, normalised, type Normaliser } from "./normalise.ts";
import { recordedRequest } from "./recorded-request.ts";
import type { Recording } from "./recording.ts";

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
  /** Finds a recording of the same rollout whose texts are equal after these. Default: {@link defaultNormalisers}. */
  readonly normalise?: readonly Normaliser[] | undefined;
  /** The test file, of whose functions only their own text counts as the code of a model. */
  readonly testFile?: string | undefined;
}

/** The recorded replies of models, by model with its settings or code, request, trial and seed. */
export interface Cassette {
  /**
   * Wraps a model: it has the same name, and replies as the mode says. Judges can be wrapped, too. Of an agent, the calls of its
   * model are recorded: its own code runs in every mode. Policies are returned as they are.
   */
  wrap(model: Model): Model;
  /** All recordings, ordered by their keys: equal contents give equal files. */
  recordings(): readonly Recording[];
  /** How many calls were answered from recordings and by models, and how many recordings no call has used. */
  counts(): { readonly replayed: number; readonly recorded: number; readonly unused: number };
}

/** Creates a cassette in memory. `openCassette` keeps one in a file. */
export function cassette(options: CassetteOptions): Cassette {
  const { mode, source = "the cassette", normalise = defaultNormalisers, testFile } = options;
  const byKey = new Map<string, Recording>();
  // If only the seed has changed, for example by a new answer of the example, uses the older reply to the same request.
  const ofAnySeed = new Map<string, string>();
  for (const recording of options.recordings ?? []) {
    const key = keyOf(recording);
    byKey.set(key, recording);
    const shared = requestKey(recording);
    if (!ofAnySeed.has(shared)) ofAnySeed.set(shared, key);
  }
  const loaded = [...byKey];
  const used = new Set<string>();
  let replayed = 0;
  let recorded = 0;

  /** The key of an older recording of the same rollout that differs only in what is normalised: the first that no call has used. */
  const similarKey = (wanted: Wanted): string | undefined => {
    if (normalise.length === 0 || wanted.example === undefined) return undefined;
    const key = requestKey(plain(wanted, normalise));
    const similar = loaded.flatMap(([each, recording]) =>
      isSamePlace(recording, wanted) && requestKey(plain(recording, normalise)) === key
        ? [each]
        : [],
    );
    return similar.find((each) => !used.has(each)) ?? similar[0];
  };

  const answer = async (model: Model, by: Pick<Wanted, "model">, request: ModelRequest) => {
    request.signal.throwIfAborted();
    const wanted: Wanted = {
      ...by,
      ...placeOf(request),
      ...omitUndefined({ seed: request.seed }),
      request: recordedRequest(request),
    };
    const own = keyOf(wanted);
    const key = byKey.has(own)
      ? own
      : (ofAnySeed.get(requestKey(wanted)) ??
        (mode === "record" ? own : similarKey(wanted)) ??
        own);
    const known = mode === "record" ? undefined : byKey.get(key);
    used.add(known === undefined ? own : key);
    if (known !== undefined) {
      replayed += 1;
      return known.response;
    }
    if (mode === "replay") {
      const change = describeChange(wanted, [...byKey.values()], normalise);
      throw missing(wanted, change, source);
    }
    const { tokens: _tokens, server: _server, ...response } = await model(request);
    recorded += 1;
    byKey.set(own, { ...wanted, response });
    return response;
  };

  const wrap = (model: Model): Model => {
    if (model.wrapModel !== undefined) return model.wrapModel(wrap);
    const { id = "model", settings } = model;
    // Does not wrap policies, which also read the state of the episode, not only the request.
    if (id.startsWith("policy:")) return model;
    const by = { model: id, ...omitUndefined({ settings, code: codeOf(model, testFile) }) };
    const ask: Model = (request) => answer(model, by, request);
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

function keyOf(wanted: Wanted): string {
  return `${requestKey(wanted)} ${wanted.seed ?? ""}`;
}

/** The key of a request. It does not contain the example, so that a changed answer or a moved row keeps its recordings. */
function requestKey({ model, settings, code, trial, request }: Wanted): string {
  const first = request.messages.find(({ role }) => role !== "system");
  // Sorts turns of a conversation next to each other.
  const conversation = contentHash([model, first ?? null]);
  const turn = String(request.messages.length).padStart(4, "0");
  const asked = contentHash(omitUndefined({ request, settings, code }));
  return `${conversation} ${String(trial).padStart(4, "0")} ${turn} ${asked}`;
}

/** A recording as it is after normalising. */
function plain(wanted: Wanted, normalise: readonly Normaliser[]): Wanted {
  return { ...wanted, request: normalised(wanted.request, normalise) as Wanted["request"] };
}

function isSamePlace(recording: Recording, { example, trial, request }: Wanted): boolean {
  return (
    recording.example === example &&
    recording.trial === trial &&
    recording.request.messages.length === request.messages.length
  );
}

/** A rollout's session names its example, its number within the group, and a seat. Judges have no session: equal questions share one answer. */
function placeOf({ session = "" }: ModelRequest): Pick<Wanted, "example" | "trial"> {
  const { example, trial = 0 } =
    /^(?<example>.*)\/(?<trial>\d+)(?:\/[^/]*)?$/su.exec(session)?.groups ?? {};
  return { ...omitUndefined({ example }), trial: Number(trial) };
}

function missing(wanted: Wanted, change: string, source: string): RolloutError {
  const which = `request ${wanted.request.messages.length} messages long of trial ${wanted.trial}`;
  return new RolloutError("model", `No recorded reply in ${source} for a ${which}. ${change}`, {
    isFatal: true,
  });
}
