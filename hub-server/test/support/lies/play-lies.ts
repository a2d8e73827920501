import type { BundleParts } from "../publish-bundle.ts";

/** A way to misuse the hub's plays, and the hub's answer. */
export interface PlayLie {
  /** Completes "a user who". */
  readonly name: string;
  readonly run: {
    readonly bundle?: BundleParts;
    readonly model?: string;
    readonly sampling?: Readonly<Record<string, unknown>>;
  };
  /** The user who requests the play. Default: the user who pushed the run. */
  readonly by?: "stranger";
  /** The code of the error, the code of the play that failed, or what the page of the run shows. */
  readonly answer: string;
}

/** Lies about runs that the hub plays again, and attempts to make it pay or stop. */
export const playLies: readonly PlayLie[] = [
  {
    name: "states a better result than the published policy has",
    run: { bundle: { advice: `"move 1"` } },
    answer: "the hub's run disagrees",
  },
  {
    name: "requests a play of another user's run",
    run: {},
    by: "stranger",
    answer: "forbidden",
  },
  {
    name: "names a model almost as the operator's",
    run: { model: "GPT-test" },
    answer: "play-refused",
  },
  {
    name: "names a policy that the package does not have",
    run: { model: "policy:odd" },
    answer: "play-refused",
  },
  {
    name: "asks for longer replies than the operator permits",
    run: { model: "gpt-test", sampling: { max_tokens: 1e6 } },
    answer: "play-refused",
  },
  {
    name: "writes long prompts, which cost the operator money",
    run: { model: "gpt-test", bundle: { prompt: `"Your move. ".repeat(100_000) + index` } },
    answer: "the play ends: `cost`",
  },
  {
    name: "publishes code that stalls when it is played",
    run: { bundle: { advice: "(() => { for (;;); })()" } },
    answer: "the play ends: `bundle`",
  },
  {
    name: "publishes code that answers with something else",
    run: { bundle: { request: `if (method === "start") return "7";` } },
    answer: "the play ends: `bundle`",
  },
  {
    name: "publishes code that helps players, but not replays",
    run: {
      bundle: {
        module: "let isHint = false;",
        request: `if (method === "start") isHint = true; if (method === "replay") isHint = false;`,
        prompt: `isHint ? "Say move 2." : "Your move. " + index`,
      },
    },
    answer: "the play ends: `bundle`",
  },
  {
    name: "publishes code that rejects the replies of players",
    run: {
      bundle: {
        request: `if (method === "respond") return JSON.stringify({ error: { message: "No." } });`,
      },
    },
    answer: "the play ends: `failures`",
  },
];
