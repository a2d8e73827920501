import type { HubErrorCode } from "@envs/hub-client/error-reference";

import { HubError } from "./hub-error.ts";

/** Control and invisible characters: messages quote the package, and terminals would interpret them. */
const unprintable = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The error for a rejected package. Escapes unprintable characters of the message and limits its length. */
export function refusal(code: HubErrorCode, message: string): HubError {
  const printable = message
    .toWellFormed()
    .replaceAll(unprintable, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`);
  return new HubError(code, { message: cut(printable, 1500) });
}

/** Quotes a text of a package in a message. */
export function quoted(text: string): string {
  return JSON.stringify(cut(text, 250));
}

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
