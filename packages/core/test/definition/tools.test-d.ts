import { expectTypeOf, test } from "vitest";
import * as z from "zod";

import {
  defineEnvironment,
  type InferState,
  mergeTools,
  tool,
  type Toolset,
} from "../../src/index.ts";

const dataset = () => [{ prompt: "Find it.", secret: 3, isHard: true }];

function calculator() {
  return {
    add: tool({
      description: "Adds",
      input: z.object({ a: z.number(), b: z.number().default(1) }),
      execute(input, { signal, random }) {
        expectTypeOf(input).toEqualTypeOf<{ a: number; b: number }>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        return input.a + input.b + random.int(3);
      },
    }),
  };
}

test("infers the input of a tool outside of a definition", () => {
  expectTypeOf(calculator().add.input.shape.a).toEqualTypeOf<z.ZodNumber>();
});

test("infers the state and inputs of tools beside a toolset", () => {
  const environment = defineEnvironment({
    name: "bench",
    config: z.object({ limit: z.int().default(1) }),
    dataset,
    setup: ({ example }) => ({ left: example.secret }),
    tools: {
      ...calculator(),
      search: {
        description: "Searches",
        input: z.object({ query: z.string() }),
        execute({ query }, { state, example, config }) {
          expectTypeOf(query).toEqualTypeOf<string>();
          expectTypeOf(state).toEqualTypeOf<{ left: number }>();
          return [example.secret, config.limit];
        },
      },
    },
    respond({ state }) {
      expectTypeOf(state).toEqualTypeOf<{ left: number }>();
      return "Go on.";
    },
    rubric: { left: ({ state }) => state.left },
  });
  expectTypeOf<InferState<typeof environment>>().toEqualTypeOf<{ left: number }>();
});

test("keeps the types of merged toolsets, and infers the state after them", () => {
  const look = tool({ description: "Looks", input: z.object({}), execute: () => "" });
  const merged = mergeTools(calculator(), { look });
  expectTypeOf(merged.add.input.shape.a).toEqualTypeOf<z.ZodNumber>();
  expectTypeOf(merged.look).toEqualTypeOf(look);
  defineEnvironment({
    name: "bench",
    dataset,
    setup: () => ({ left: 1 }),
    tools: mergeTools(calculator(), { look }),
    respond({ state }) {
      expectTypeOf(state).toEqualTypeOf<{ left: number }>();
      return "Go on.";
    },
    rubric: { zero: () => 0 },
  });
});

test("types the context of a function tools, and what follows it", () => {
  const environment = defineEnvironment({
    name: "bench",
    config: z.object({ limit: z.int().default(1) }),
    dataset,
    setup: ({ example }) => ({ left: example.secret }),
    tools: ({ state, example, config, signal }) => {
      expectTypeOf(state).toEqualTypeOf<{ left: number }>();
      expectTypeOf(example.secret).toEqualTypeOf<number>();
      expectTypeOf(config.limit).toEqualTypeOf<number>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      return {
        ...(example.isHard ? {} : calculator()),
        search: tool({
          description: "Searches",
          input: z.object({ query: z.string() }),
          execute({ query }) {
            expectTypeOf(query).toEqualTypeOf<string>();
            return state.left;
          },
        }),
        look: {
          description: "Looks",
          input: z.object({}),
          execute(_input, context) {
            expectTypeOf(context.state).toEqualTypeOf<{ left: number }>();
            return "nothing";
          },
        },
      };
    },
    respond({ state }) {
      expectTypeOf(state).toEqualTypeOf<{ left: number }>();
      return "Go on.";
    },
    rubric: { left: ({ state }) => state.left },
  });
  expectTypeOf<InferState<typeof environment>>().toEqualTypeOf<{ left: number }>();
});

test("accepts an async function of tools, different ones and those of unknown names", () => {
  const remote: Toolset = calculator();
  defineEnvironment({
    name: "bench",
    dataset,
    setup: ({ example }) => ({ left: example.secret }),
    async tools({ state, example }) {
      if (example.isHard) return calculator();
      await Promise.resolve();
      const look = tool({ description: "", input: z.object({}), execute: () => state.left });
      return { ...remote, look };
    },
    rubric: { left: ({ state }) => state.left },
  });
});

test("rejects a tool without an input", () => {
  // @ts-expect-error -- no input
  tool({ description: "Looks", execute: () => "" });
});
