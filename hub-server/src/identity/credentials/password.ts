import { hash, type Options, verify } from "@node-rs/argon2";

import { HubError } from "../../platform/errors/hub-error.ts";
import { hashQueue, type QueueStatistics } from "./hash-queue.ts";

/** argon2id, the library's default, as OWASP advises: 19 MiB, two passes, one lane. */
const options: Options = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };
/** Of 32 random bytes that nobody has kept. */
const nobodysHash =
  "$argon2id$v=19$m=19456,t=2,p=1$ExW07329BeN57QBHSConfQ$iBvRK88XOHhEKrnDwFR5qitWNGFLnZwn5CUu9z1ZHFc";
/** Each takes a thread that files and names are read with, too; there are four of them. */
const queue = hashQueue({ atOnce: 2, mostWaiting: 200 });
const shortest = 12;
const longest = 256;

/** What the hub has hashed of passwords since it began, right ones and wrong ones. */
export function passwordStatistics(): QueueStatistics {
  return queue.statistics();
}

/** Refuses a password that is soon guessed, or that no person has. */
export function checkPassword(password: string, { name }: { readonly name: string }): void {
  const problem = problemOf(password, name);
  if (problem !== undefined)
    throw new HubError("password-weak", {
      message: `This password ${problem}. Take at least ${shortest} characters: four words that do not belong together are easy to keep.`,
    });
}

/** What is stored of a password. */
export async function passwordHash(password: string): Promise<string> {
  return await queue.run(() => hash(password, options));
}

/** Whether it is the password. An account that has none, or does not exist, costs as much as a wrong password. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  if (password.length > longest) return await isPassword("", stored);
  const isRight = await queue.run(() => verify(stored ?? nobodysHash, password));
  return isRight && stored !== null;
}

function problemOf(password: string, name: string): string | undefined {
  const letters = new Set(password);
  if (password.length < shortest) return "is too short";
  if (password.length > longest) return `is longer than ${longest} characters`;
  if (letters.size < 5) return "repeats few characters";
  if (name.length > 3 && password.toLowerCase().includes(name)) return "holds the account's name";
  return undefined;
}
