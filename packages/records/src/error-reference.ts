import type { RolloutErrorCode } from "@envs/core";

/** An entry of the error reference, in Markdown. */
export interface ErrorEntry {
  /** The failure. */
  readonly what: string;
  /** Its causes. */
  readonly why: string;
  /** The remedy, in the imperative. */
  readonly fix: string;
}

/** The entry of each {@link RolloutErrorCode}: the source of docs/errors.md and of `envs explain`. */
export const rolloutErrors: Readonly<Record<RolloutErrorCode, ErrorEntry>> = {
  model: {
    what: "The model did not return a usable reply.",
    why: "Its server rejected the request, was unreachable, or kept failing: `openai` and `aiSdk` retry transient errors (408, 409, 429, 5xx, broken connections, invalid responses) four times with exponential backoff, and respect `Retry-After`. Or your own model function threw, or returned no message.",
    fix: "Read the message: it contains the server's URL and response. If `isFatal` is true, correct the key, the model's name or the base URL. If the server is overloaded, lower `--concurrency`, or raise `retries` of `openai`. Then resume the run.",
  },
  agent: {
    what: "The agent that answers for a model failed.",
    why: "The agent's function threw or returned no text, or its program could not start, exited with another code than 0, or was killed. If its model had failed before, the code is `model` instead.",
    fix: "Read the message: it contains the agent's error, or the last lines that the program wrote to its standard error. The record has the model calls until then. Run the agent alone with the same prompt, or correct its command.",
  },
  environment: {
    what: "The environment's own code threw.",
    why: "`setup`, `respond`, a stop condition, `close` or a policy threw, left a promise that no code awaited and that was rejected, or returned a promise that never settles; the message names it, and `chain` contains the error with its causes. The most frequent cause is a reply that was parsed without a check: a model may write any text, including an empty one.",
    fix: "Fix the environment. An invalid reply is not an error: answer it, or end the episode. `envs check` finds such replies before a model does.",
  },
  tool: {
    what: 'A tool call failed in an environment with `episode: { toolErrors: "fail" }`, or a tool threw a `RolloutError` with this code.',
    why: 'The model named an unknown tool, wrote arguments that are not JSON or do not match the schema, or `execute` threw. By default (`"tell"`) the model receives the error and continues; with `"fail"` the rollout ends.',
    fix: "To let the model recover, omit `toolErrors`. If `execute` threw, fix the tool or the service that it uses, and resume the run.",
  },
  score: {
    what: "The episode ended, but a score could not be computed.",
    why: "A score threw, or returned `NaN`, an infinity, a value outside its `range` or one that is not a number; or a group score returned the wrong number of values. A model that serves as a judge may have replied in an unexpected form.",
    fix: "Fix the score. Return `null` from a score that does not apply to a rollout. Do not catch the error to return 0: training would learn from the defect. The record contains the conversation, so you can reproduce the failure.",
  },
  timeout: {
    what: "An operation exceeded its time limit.",
    why: "A reply of the model took longer than `turnTimeout`, the rollout took longer than `rolloutTimeout`, or its scoring or closing took that long again; these limits are unset by default. Or one call of the environment's code, such as `respond` or a score, took longer than `hookTimeout` (10 minutes by default; `close` has one minute).",
    fix: "Raise the limit (`--turn-timeout`, `--rollout-timeout`, `--hook-timeout`, in seconds), limit the replies (`--max-tokens`), or lower `--concurrency` if the server queues requests. Pass the context's `signal` to your own asynchronous code, so that it stops at the limit.",
  },
  crash: {
    what: "The rollout ended the process that played it.",
    why: "A worker of the queue was lost while it played this rollout and others. Then a process played this rollout's group and nothing else, and was lost, too: its code took more memory than Node or the machine has, crashed in native code, called `process.exit`, or kept the thread for 15 seconds, such as an endless loop. The message has the exit code or signal, and the last line of its standard error.",
    fix: "Play the example in one process to see the whole output: `envs eval` with `--select` and without `--queue`. Fix the environment's code, or give the machine more memory. Then resume the run: it plays these rollouts again.",
  },
  worker: {
    what: "No worker of the queue could play the rollout.",
    why: "Twenty workers in succession leased its group, and each stopped, lost its connection for 15 seconds, or could not store the result. The message names the last reason.",
    fix: "Read the output of the workers. Give them more memory, or pass a lower `--concurrency` to `envs queue worker`. Then resume the run: it plays these rollouts again.",
  },
  cancelled: {
    what: "The run was stopped before this rollout ended.",
    why: "The caller aborted the `signal`, for example with Ctrl-C.",
    fix: "Resume the run to play it again. The command line does not save cancelled rollouts.",
  },
};
