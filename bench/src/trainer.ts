import type { Figure } from "./figure.ts";
import { decoding } from "./trainer/decoding.ts";
import { peak } from "./trainer/peak.ts";
import { playing } from "./trainer/playing.ts";
import { threads } from "./trainer/threads.ts";
import { training } from "./trainer/training.ts";

/** The tiny model against jax-js, against the machine's own limit, on a second thread, and in games. */
export async function trainer(): Promise<readonly Figure[]> {
  return [
    ...(await training()),
    ...(await decoding()),
    ...(await peak()),
    ...(await threads()),
    ...(await playing()),
  ];
}
