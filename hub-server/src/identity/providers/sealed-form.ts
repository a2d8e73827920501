import { createHmac } from "node:crypto";

import { CompactEncrypt, compactDecrypt } from "jose";
import * as z from "zod";

import { redirectPath, type Visitor } from "../sessions/visitor.ts";

/** A form that a user has sent and that waits for a confirmation. */
export interface SentForm {
  readonly action: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

const sentForm = z.object({
  action: z.string(),
  fields: z.array(z.tuple([z.string(), z.string()])).max(1000),
});

/**
 * Encrypts a form, which may contain a new password, so that only the browser that sent it can continue with it. Returns
 * undefined for another text than {@link formText} returns.
 */
export async function sealForm(visitor: Visitor, text: string): Promise<string | undefined> {
  if (parse(text) === undefined) return undefined;
  return await new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(keyOf(visitor));
}

/** Decrypts a form of the same browser. */
export async function openForm(visitor: Visitor, sealed: string): Promise<SentForm | undefined> {
  const { plaintext } = await compactDecrypt(sealed, keyOf(visitor));
  return parse(new TextDecoder().decode(plaintext));
}

/** The text of a form in a hidden field. */
export function formText(form: SentForm): string {
  return JSON.stringify(form);
}

function parse(text: string): SentForm | undefined {
  try {
    const form = sentForm.parse(JSON.parse(text));
    return redirectPath(form.action) === form.action ? form : undefined;
  } catch {
    return undefined;
  }
}

/** The database has only the hash of the browser's secret, from which the token of its forms is derived. */
function keyOf({ formToken }: Visitor): Uint8Array {
  return createHmac("sha256", formToken).update("a form that waits for a confirmation").digest();
}
