import {
  type AssistantMessage,
  assistantMessage,
  callTools,
  type Message,
  textOf,
} from "@envs/core";

import { writeAnswer } from "./answer.ts";
import type { Task } from "./tasks.ts";

/** The knowledge of a policy about its position. */
interface Position {
  readonly example: Pick<Task, "query">;
  readonly turns: number;
  readonly messages: readonly Message[];
}

export const listTables = "SELECT sql FROM sqlite_schema";

/** The best player of answers that are queries. */
export function oracle({ example, turns }: Position): AssistantMessage {
  return turns === 0 ? callQuery(turns, listTables) : assistantMessage(writeAnswer(example.query));
}

/** The best player of answers that are rows. */
export function reader({ example, turns, messages }: Position): AssistantMessage {
  return turns === 0
    ? callQuery(turns, example.query)
    : assistantMessage(writeAnswer(rowsIn(messages).join("\n")));
}

/** A cheat: finds the right rows, and answers with a query that contains them. */
export function hardcode({ example, turns, messages }: Position): AssistantMessage {
  if (turns === 0) return callQuery(turns, example.query);
  const rows = rowsIn(messages).map((row) => `(${row.split("|").map(literal).join(", ")})`);
  const query =
    rows.length === 0 ? `SELECT * FROM (${example.query}) WHERE 0` : `VALUES ${rows.join(", ")}`;
  return assistantMessage(writeAnswer(query));
}

function callQuery(turn: number, sql: string): AssistantMessage {
  return callTools([["query", { sql }]], turn);
}

/** The rows of the last result, without the names of the columns. */
function rowsIn(messages: readonly Message[]): readonly string[] {
  const result = messages.findLast(({ role }) => role === "tool");
  const [, ...lines] = textOf(result?.content ?? "").split("\n");
  return lines.filter((line) => line !== "(No rows.)");
}

function literal(cell: string): string {
  if (cell === "NULL" || /^-?\d+(?:\.\d+)?$/u.test(cell)) return cell;
  return `'${cell.replaceAll("'", "''")}'`;
}
