import { defineEnvironment } from "@envs/core";
import { huggingFace, parquet } from "@envs/data";
import { expectTypeOf, test } from "vitest";
import * as z from "zod";

const schema = z.object({ prompt: z.string(), answer: z.string().transform(Number) });

test("a single split has rows of the schema's output type", () => {
  const rows = huggingFace("openai/gsm8k", {
    split: "test",
    schema,
    columns: { prompt: "question" },
  });
  expectTypeOf(rows).toEqualTypeOf<AsyncIterable<{ prompt: string; answer: number }>>();
});

test("several splits have the environment's names", () => {
  const rows = huggingFace("openai/gsm8k", { split: { train: "train", eval: "test" }, schema });
  expectTypeOf(rows.eval).toEqualTypeOf<AsyncIterable<{ prompt: string; answer: number }>>();
  expectTypeOf<keyof typeof rows>().toEqualTypeOf<"train" | "eval">();
});

test("an environment infers its example from them", () => {
  defineEnvironment({
    name: "sums",
    dataset: () => huggingFace("a/b", { split: { train: "train", eval: "test" }, schema }),
    rubric: {
      right: ({ example }) => {
        expectTypeOf(example.answer).toEqualTypeOf<number>();
        return 1;
      },
    },
  });
});

test("columns are names of the schema", () => {
  // @ts-expect-error The schema has no column "promt".
  parquet("rows.parquet", { schema, columns: { promt: "question" } });
});
