import type { Changed } from "./change-package.ts";

/** What a client of npm's protocol hears of a change. */
export interface ChangeAnswer {
  readonly ok: true;
  readonly id: string;
  readonly rev: string;
}

export function answerOf(name: string, { rev }: Changed<unknown>): ChangeAnswer {
  return { ok: true, id: name, rev };
}
