import { type Random, random as randomOf } from "@envs/core";

import type { Domain, Question, Tables } from "./domain.ts";
import { library } from "./domains/library.ts";
import { shop } from "./domains/shop.ts";

const domains = { shop, library };

/** A question about a database. The rows follow from the seed. */
export interface Task {
  readonly prompt: string;
  readonly domain: keyof typeof domains;
  readonly kind: string;
  readonly seed: number;
  /** A query that answers the question on every variant of the data. */
  readonly query: string;
  readonly isOrdered: boolean;
}

const kinds = (["shop", "library"] as const).flatMap((domain) =>
  Object.entries(domains[domain].questions).map(([kind, draw]) => ({ domain, kind, draw })),
);

export type Split = "train" | "eval";

/** Different questions of all kinds in turn. No question is in both splits. */
export function* tasks(
  split: Split,
  { random, showSchema }: { readonly random: Random; readonly showSchema: boolean },
): Generator<Task, never> {
  const seen = new Set<string>();
  const own = random.for(split);
  for (let index = 0; ; index += 1) {
    const { domain, kind, draw } = kinds[index % kinds.length]!;
    const { question, query, isOrdered = false }: Question = draw(own);
    if (seen.has(question) || splitOf(question) !== split) continue;
    seen.add(question);
    const prompt = showSchema ? `${domains[domain].schema}\n\n${question}` : question;
    yield { prompt, domain, kind, seed: own.int(2 ** 31), query, isOrdered };
  }
}

/** A question is in the same split under every seed. */
function splitOf(question: string): Split {
  return randomOf("split", question).pick(["train", "eval"]);
}

/** The number of hidden variants of a database. */
export const variants = 8;

/** A script that creates the database which the model sees (0), or a hidden variant of its data (1 to {@link variants}). */
export function script({ domain, seed }: Pick<Task, "domain" | "seed">, variant: number): string {
  const { schema, fill }: Domain = domains[domain];
  const tables = fill(randomOf("sql", seed, variant));
  // Deletes tables from last to first, because rows refer to earlier tables.
  const drops = Object.keys(tables).map((table) => `DROP TABLE IF EXISTS ${table};`);
  return [...drops.toReversed(), schema, ...inserts(tables)].join("\n");
}

function inserts(tables: Tables): readonly string[] {
  return Object.entries(tables).map(([table, rows]) => {
    const values = rows.map((row) => `(${row.map(literal).join(", ")})`);
    return `INSERT INTO ${table} VALUES ${values.join(", ")};`;
  });
}

function literal(cell: string | number | null): string {
  return typeof cell === "string" ? `'${cell.replaceAll("'", "''")}'` : String(cell);
}
