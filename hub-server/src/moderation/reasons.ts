import { HubError } from "../platform/errors/hub-error.ts";

/** The reasons of reports and acts. Everyone can read the reason of an act. */
export const reasons = [
  "malware",
  "impersonation",
  "false results",
  "spam",
  "abuse",
  "copyright",
  "other",
] as const;

/** One of {@link reasons}. */
export type ReportReason = (typeof reasons)[number];

const maxLength = 4000;

/** Returns a known reason, or throws. */
export function requireReason(text: string): ReportReason {
  const reason = reasons.find((each) => each === text);
  if (reason !== undefined) return reason;
  throw new HubError("invalid-text", {
    message: `${JSON.stringify(text.slice(0, 50))} is not a reason. Choose one of: ${reasons.join(", ")}.`,
  });
}

/** Returns the trimmed text of a form, or throws if it is empty or too long. */
export function requireText(text: string, what: string): string {
  const trimmed = text.trim();
  if (trimmed !== "" && trimmed.length <= maxLength) return trimmed;
  throw new HubError("invalid-text", {
    message:
      trimmed === ""
        ? `The text is empty. Write ${what}.`
        : `The text has ${trimmed.length} characters. Write ${what} in at most ${maxLength}.`,
  });
}
