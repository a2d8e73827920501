import type { Passage } from "./passage.ts";

/** A phrase that plain English avoids. */
export interface Rule {
  readonly pattern: RegExp;
  /** The phrase to write instead. */
  readonly advice: string;
  /** Default: every kind. */
  readonly kinds?: readonly Passage["kind"][];
}

const nameTheActor = "Name the actor: the caller, the client, the author, the server, the worker.";
const nameTheAct = "Name the act: return, report, log, notify, show, receive, distinguish.";
const negateTheVerb = "Negate the verb: does not, cannot, is not a …";
const useTheFieldsWord = "Use the field's word";

/** `docs/decisions` has the reasons, `tooling/test/prose/pairs.json` examples of each. */
export const rules: readonly Rule[] = [
  // Actors
  rule(/\b(nobody|no one|somebody|someone|anybody|everybody|whoever|whomever)\b/, nameTheActor),
  rule(/‹start›who\b(?! are you)(?![^.!?|]*\?)/, nameTheActor),
  rule(/\b(so that|because|if|when|of|for|by|but|than) who\b/, nameTheActor),
  rule(/\bwhom\b/, nameTheActor),
  rule(/\b(those|the ones?|he|one) who\b/, nameTheActor),

  // Acts
  rule(/\btold\b|\btell(s|ing)?\b/, nameTheAct),
  rule(/\b(hears?|heard)\b/, nameTheAct),
  rule(
    /\bsays (so|what|who|whether|which|where|why|how|it|that|nothing|no)\b/,
    "Write: reports, returns, names, shows, explains, states.",
  ),
  rule(/\bsay (so|who|it with|nothing)\b/, nameTheAct),
  rule(/‹start›says?\b/, nameTheAct, ["comment", "string", "error"]),
  rule(/\b(is|are|was|were|been|be) said\b/, nameTheAct),
  rule(/\bwithout (the )?saying\b|\bnothing (says|said|knows)\b/, nameTheAct),
  rule(/\btakes? (what|whatever)\b/, "Write: accepts, reads, parses, with a noun for the object."),
  rule(/\bmend(s|ed|ing)?\b/, "Write: fix, repair."),

  // Idioms
  rule(
    /\bwhat(ever)? (became|becomes|becoming|came|comes|has become) of\b|\bwhatever comes of\b/,
    "Write: the result, the outcome.",
  ),
  rule(
    /\bof (its|their|our|your|my|his|her) own\b/,
    "Put the owner first: its own thread, your own server.",
  ),
  rule(
    /\b(is|are|was|were|be) away\b|\bor away\b/,
    `${useTheFieldsWord}: unreachable, offline, idle.`,
  ),
  rule(
    /\brests\b/,
    `${useTheFieldsWord}: backs off (a receiver), depends on (a reason), the remainder (a noun).`,
  ),
  rule(
    /\bholds? up\b(?! to)|\bheld up\b|\bholding up\b/,
    `${useTheFieldsWord}: blocks, delays, slows down.`,
  ),
  rule(/\bknock(s|ed|ing)?\b/, `${useTheFieldsWord}: connects, sends a request.`),
  rule(
    /\b(come|comes|came|coming|bring|brings|brought|go|goes|stand|stands) along\b/,
    "Write: includes, contains, ships with.",
  ),
  rule(/\bstands? (behind|there)\b/, "Write: follows, exists, belongs to."),
  rule(
    /\b(is|are|was|were|been|be|has|have|had) gone\b/,
    "Write: no longer exists, has closed, was removed.",
  ),
  rule(
    /\b(is|are|was|were|been|be) (not |already |still )?there(?=\s*(?:[.,;:)]|$))/,
    "Write: exists, is missing, is installed, is running.",
  ),
  rule(/\bany more(?=\s*(?:[.,;:)|]|$))/, "Write: no longer, with the verb."),
  rule(/\blets? nothing\b|\bfor nothing\b/, negateTheVerb),
  rule(/\b(no|the) way (back|there|forward)\b/, "Name the step: before backward(), the request."),
  rule(/\bwould have more than\b/, `${useTheFieldsWord}: exceeds the quota.`),
  rule(/\binstead of well\b/, "Name both sides: a random move, the best move."),
  rule(/\bin vain\b/, "State the consequence."),
  rule(
    /‹start›(most|least|fewest) (?!likely|recently|often|people)[a-z]+ (of|that|a|in|at|on|per|for|before)\b/,
    "Write: maximum, minimum.",
    ["comment", "string", "error"],
  ),

  // Negations
  rule(
    /(?<!\bthere )\b(is|are|was|were|be) no\b(?! (longer|more|less|fewer|worse|better|different))/,
    negateTheVerb,
  ),
  rule(/\b(is|are|was|were|has|have|had) none\b/, negateTheVerb),
  rule(
    /\b(end|take|hold|give|know|leave|bring|make|read|write|send|start|ask|name|lose|see|call|keep|teach|begin|come|go)s no\b(?! (longer|more|less|fewer))/,
    negateTheVerb,
  ),
  rule(/\bmay not even\b/, negateTheVerb),

  // Nouns
  rule(
    /‹start›what (is|are|was|were|has|have|had|can|cannot|may|must|does|do)\b(?![^.!|]*\?)/,
    "Begin with a noun: the options, the response, the remaining bytes.",
    ["comment", "string", "error"],
  ),
  rule(/\bwhat is (needed|wanted)\b/, "Write a noun: the requirements, the requested packages."),

  // Errors
  rule(
    /(?<!\b(?:do|did) you mean [^?]{0,80})\?(?=\s|$|X)/,
    "Errors do not ask. State what failed with its value, why, and what to do.",
    ["error"],
  ),
  rule(
    /\b(whose|which) [a-z]+\? (say|pass|name|write)\b/,
    "Errors do not ask: “Missing …. Pass …”",
  ),
];

/** In a pattern, a space is any white space, and `‹start›` the beginning of a sentence. */
function rule(pattern: RegExp, advice: string, kinds?: Rule["kinds"]): Rule {
  const source = pattern.source
    .replaceAll(/(?<!\\) /g, String.raw`\s+`)
    .replaceAll("‹start›", String.raw`(?<=^\s*|[.!?:;|]["'”’)\]]*\s+|\n\s*\n\s*)`);
  return { pattern: new RegExp(source, "giu"), advice, ...(kinds && { kinds }) };
}
