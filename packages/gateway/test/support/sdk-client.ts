import type { GatewaySession } from "@envs/gateway";

/** A step of a conversation, in no provider's format. */
export type Step =
  | { readonly user: string; readonly image?: string }
  | { readonly reply: string; readonly reasoning?: string; readonly calls?: readonly Call[] }
  | { readonly result: string; readonly of: Call };

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface Question {
  readonly system?: string;
  readonly steps: readonly Step[];
  readonly tools?: readonly { readonly name: string; readonly description: string }[];
  /** The tool that the model must call. */
  readonly mustCall?: string;
  /** JSON Schema of the reply. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly temperature?: number;
  readonly stop?: readonly string[];
  readonly maxTokens?: number;
  readonly signal?: AbortSignal;
}

/** The reply as an SDK parsed it. */
export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly Call[];
  readonly end: string | null | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cachedTokens: number | undefined;
}

/** An official SDK as a client of the gateway. */
export interface SdkClient {
  readonly name: string;
  /** The names of ends in its dialect. */
  readonly ends: Readonly<Record<"stop" | "length" | "tools", string>>;
  /** Whether the dialect has texts that end a reply. */
  readonly hasStop: boolean;
  readonly ask: (
    session: Pick<GatewaySession, "origin" | "baseURL" | "apiKey">,
    question: Question,
    options: { readonly stream: boolean; readonly retries?: number },
  ) => Promise<Answer>;
}

/** The schema of every tool in the tests. */
export const toolSchema = {
  type: "object" as const,
  properties: { city: { type: "string" } },
  required: ["city"],
};
