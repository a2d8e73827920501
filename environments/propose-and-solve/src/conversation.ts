import { xmlParser } from "@envs/core";

import { type Expression, parseExpression, writeExpression } from "./expression.ts";

const task = xmlParser("task");
const answer = xmlParser("answer");

export const proposerPrompt = `Write an arithmetic task: whole numbers with +, - or * between them. Several solvers try it, and none sees the others. It is worth most if half of them solve it.
Answer in this form: ${task.format}`;

export const solverPrompt = `Compute the value.
Answer in this form: ${answer.format}`;

/** The rules for a task. */
interface Limits {
  /** A number that it contains. */
  readonly number: number;
  readonly maxNumber: number;
  readonly maxOperators: number;
}

export function requestFor({ number, maxNumber, maxOperators }: Limits): string {
  return `Write a task with the number ${number}, numbers up to ${maxNumber} and 1 to ${maxOperators} operators.`;
}

export function writeTask(expression: Expression): string {
  return task.render({ task: writeExpression(expression) });
}

export function writeAnswer(value: number): string {
  return answer.render({ answer: `${value}` });
}

/** Reads a proposed task; `undefined` if it is not what was requested. */
export function readTask(reply: string, limits: Limits): Expression | undefined {
  const expression = parseExpression(task.parse(reply).task ?? "");
  if (expression === undefined) return undefined;
  const { numbers, operators } = expression;
  const isRequested =
    numbers.includes(limits.number) &&
    Math.max(...numbers) <= limits.maxNumber &&
    operators.length > 0 &&
    operators.length <= limits.maxOperators;
  return isRequested ? expression : undefined;
}

/** Reads an answer; `undefined` if it is not a whole number. */
export function readAnswer(reply: string): number | undefined {
  const text = answer.parse(reply).answer?.trim() ?? "";
  return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
}
