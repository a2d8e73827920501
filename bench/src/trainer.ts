import type { Figure } from "./figure.ts";
import { decoding } from "./trainer/decoding.ts";
import { playing } from "./trainer/playing.ts";
import { python } from "./trainer/python.ts";
import { threads } from "./trainer/threads.ts";
import { training } from "./trainer/training.ts";

/** Compares the tiny model with PyTorch, JAX, jax-js and itself on two threads, and measures games. */
export async function trainer(): Promise<readonly Figure[]> {
  return [
    ...(await training()),
    ...(await decoding()),
    ...(await python()),
    ...(await threads()),
    ...(await playing()),
  ];
}
