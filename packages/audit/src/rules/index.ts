import type { Rule } from "../rule.ts";
import { allAlternatives } from "./all-alternatives.ts";
import { answerInThoughts } from "./answer-in-thoughts.ts";
import { answerLeak } from "./answer-leak.ts";
import { contamination } from "./contamination.ts";
import { determinism } from "./determinism.ts";
import { duplicates } from "./duplicates.ts";
import { fakeToolResult } from "./fake-tool-result.ts";
import { floor } from "./floor.ts";
import { formatOnly } from "./format-only.ts";
import { judgeInjection } from "./judge-injection.ts";
import { longReply } from "./long-reply.ts";
import { lookAlikes } from "./look-alikes.ts";
import { oddReplies } from "./odd-replies.ts";
import { openHandles } from "./open-handles.ts";
import { opponentBias } from "./opponent-bias.ts";
import { promptEcho } from "./prompt-echo.ts";
import { repeatedCalls } from "./repeated-calls.ts";
import { sandboxEscape } from "./sandbox-escape.ts";
import { selfGradedCode } from "./self-graded-code.ts";
import { sharedState } from "./shared-state.ts";
import { signal } from "./signal.ts";
import { solvability } from "./solvability.ts";
import { whitespace } from "./whitespace.ts";

/** All rules, in the order of reports. */
export const rules: readonly Rule[] = [
  solvability,
  floor,
  signal,
  determinism,
  sharedState,
  openHandles,
  oddReplies,
  longReply,
  formatOnly,
  promptEcho,
  allAlternatives,
  answerInThoughts,
  lookAlikes,
  fakeToolResult,
  repeatedCalls,
  whitespace,
  judgeInjection,
  answerLeak,
  duplicates,
  contamination,
  opponentBias,
  sandboxEscape,
  selfGradedCode,
];
