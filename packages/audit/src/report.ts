import type { Evidence, Severity } from "./rule.ts";

/** A finding of an audit. */
export interface Finding extends Evidence {
  /** From 1, in the order of the report. */
  readonly number: number;
  /** The rule, and the variant after a colon: what an acceptance names. */
  readonly id: string;
  readonly rule: string;
  readonly severity: Severity;
  /** Why the author accepts it. */
  readonly accepted?: string | undefined;
}

/** The conclusion of a rule. */
export interface RuleResult {
  readonly rule: string;
  readonly state: "passed" | "found" | "not-tried";
  /** The examples and replies that were tried, or the reason why none was. */
  readonly tried: string;
  readonly seconds: number;
}

/** The result of an audit, as JSON. */
export interface AuditReport {
  readonly environment: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly split: string | null;
  readonly examples: number;
  readonly rules: readonly RuleResult[];
  readonly findings: readonly Finding[];
  /** Acceptances that match no finding of their rule, although the rule ran. */
  readonly unusedAcceptances: readonly string[];
}

/** The findings that the author has not explained. */
export function openFindings({ findings }: Pick<AuditReport, "findings">): readonly Finding[] {
  return findings.filter(({ accepted }) => accepted === undefined);
}
