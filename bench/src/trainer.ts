import type { Figure } from "./figure.ts";
import { decoding } from "./trainer/decoding.ts";
import { peak } from "./trainer/peak.ts";
import { playing } from "./trainer/playing.ts";
import { threads } from "./trainer/threads.ts";
import { training } from "./trainer/training.ts";

/** Compares the tiny model with jax-js, with the speed of its matrix kernel and with itself on two threads, and measures games. */
export async function trainer(): Promise<readonly Figure[]> {
  return [
    ...(await training()),
    ...(await decoding()),
    ...(await peak()),
    ...(await threads()),
    ...(await playing()),
  ];
}
