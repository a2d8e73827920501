import type { Identity } from "../identity/request/identity.ts";

export type Sort = "relevance" | "downloads" | "stars" | "recent" | "name";

/** What somebody looks for. A list of values that is not there allows all. */
export interface Wanted {
  readonly identity: Identity | undefined;
  readonly text: string;
  readonly is?: Readonly<Partial<Record<Trait, boolean>>>;
  /** One of these. */
  readonly kinds?: readonly string[] | undefined;
  readonly owners?: readonly string[] | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly maintainers?: readonly string[] | undefined;
  readonly keywords?: readonly string[] | undefined;
  /** All of these. */
  readonly tags?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly scores?: readonly string[] | undefined;
  readonly sort: Sort;
  readonly offset: number;
  readonly limit: number;
  /** Whether to look at what the results have in common. */
  readonly sample?: boolean;
}

/** What a package is or is not. */
export const traits = ["environment", "deprecated", "archived", "unstable"] as const;
export type Trait = (typeof traits)[number];
