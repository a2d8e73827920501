import type { Message } from "@envs/core";
import type { Renderer } from "@envs/tiny-model";

import type { Datum } from "../backend.ts";

/** A conversation as tokens, and which of its targets the model says. */
export interface Lesson {
  readonly inputs: Int32Array;
  readonly targets: Int32Array;
  readonly isSpoken: readonly boolean[];
  readonly spoken: number;
}

/** Turns a conversation into what supervised learning needs: all of its tokens, and only the model's count. */
export function lessonOf(messages: readonly Message[], renderer: Renderer): Lesson {
  const ids: number[] = [];
  const isSpoken: boolean[] = [];
  let heard: Message[] = [];
  for (const message of messages) {
    if (message.role !== "assistant") {
      heard.push(message);
      continue;
    }
    const given = ids.length === 0 ? renderer.prompt(heard) : renderer.bridge(heard, true);
    const reply = renderer.reply(message);
    ids.push(...given, ...reply);
    isSpoken.push(...given.map(() => false), ...reply.map(() => true));
    heard = [];
  }
  const spoken = isSpoken.slice(1);
  return {
    inputs: Int32Array.from(ids.slice(0, -1)),
    targets: Int32Array.from(ids.slice(1)),
    isSpoken: spoken,
    spoken: spoken.filter(Boolean).length,
  };
}

/** Lessons as a batch in which every spoken token counts the same. */
export function batchOf(lessons: readonly Lesson[]): Datum[] {
  const total = lessons.reduce((sum, { spoken }) => sum + spoken, 0);
  return lessons.map(({ inputs, targets, isSpoken }) => ({
    inputs,
    targets,
    weights: Float32Array.from(isSpoken, (counts) => (counts ? 1 / total : 0)),
  }));
}
