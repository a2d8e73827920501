import { hash, type Options, verify } from "@node-rs/argon2";

import { HubError } from "../../platform/errors/hub-error.ts";

/** argon2id (the library's default) with OWASP's parameters: 19 MiB, two passes, one lane. */
const options: Options = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };
/** The hash of discarded random bytes, so that checking a missing password takes as long as checking a wrong one. */
const dummyHash =
  "$argon2id$v=19$m=19456,t=2,p=1$ExW07329BeN57QBHSConfQ$iBvRK88XOHhEKrnDwFR5qitWNGFLnZwn5CUu9z1ZHFc";
/** Each hash occupies one of the four libuv threads, which file and DNS operations need too. */
const queue = hashQueue({ concurrency: 2, maxWaiting: 200 });
const minLength = 12;
const maxLength = 256;

/** Counts of the password hashes since the start of the process. */
export function passwordStatistics(): QueueStatistics {
  return queue.statistics();
}

/** Throws `password-weak` for a password that is easy to guess or too long. */
export function checkPassword(password: string, { name }: { readonly name: string }): void {
  const problem = problemOf(password, name);
  if (problem !== undefined)
    throw new HubError("password-weak", {
      message: `The password ${problem}. Use at least ${minLength} characters: four unrelated words are easy to remember.`,
    });
}

/** The argon2id hash to store. */
export async function passwordHash(password: string): Promise<string> {
  return await queue.run(() => hash(password, options));
}

/** Whether the password is right. A missing hash costs as much time as a wrong password. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  if (password.length > maxLength) return await isPassword("", stored);
  const isRight = await queue.run(() => verify(stored ?? dummyHash, password));
  return isRight && stored !== null;
}

function problemOf(password: string, name: string): string | undefined {
  const letters = new Set(password);
  if (password.length < minLength) return "is too short";
  if (password.length > maxLength) return `is longer than ${maxLength} characters`;
  if (letters.size < 5) return "repeats few characters";
  if (name.length > 3 && password.toLowerCase().includes(name))
    return "contains the account's name";
  return undefined;
}

/** Counts of finished, running and waiting jobs. */
interface QueueStatistics {
  readonly done: number;
  readonly running: number;
  readonly waiting: number;
}

/** Limits concurrent jobs, so that a flood of logins cannot exhaust the machine. Throws `busy` when the queue is full. */
export function hashQueue({
  concurrency,
  maxWaiting,
}: {
  concurrency: number;
  maxWaiting: number;
}) {
  const waiting: (() => void)[] = [];
  let [done, running] = [0, 0];

  async function run<Result>(job: () => Promise<Result>): Promise<Result> {
    if (running >= concurrency) {
      if (waiting.length >= maxWaiting)
        throw new HubError("busy", {
          message: "Too many concurrent logins. Try again in a few seconds.",
          headers: { "retry-after": "5" },
        });
      await new Promise<void>((resolve) => void waiting.push(resolve));
    } else running += 1;
    try {
      return await job();
    } finally {
      done += 1;
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  }
  return { run, statistics: (): QueueStatistics => ({ done, running, waiting: waiting.length }) };
}
