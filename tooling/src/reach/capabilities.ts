import type { Need } from "./packages.ts";

/** A capability of authors, with its API and the programs that prove it. */
export interface Capability {
  readonly need: Need;
  readonly title: string;
  /** A package of this workspace, and the name that it must export. */
  readonly module: string;
  readonly exports: readonly string[];
  /** Programs that use it, of which a test plays each. They must contain every word of `exports` and `words`. */
  readonly proofs: readonly string[];
  /** Keys of a definition that the programs must contain. */
  readonly words?: readonly string[];
  /** The test that plays the proofs. */
  readonly test: string;
}

/** In the order in which the report adds them. */
export const capabilities: readonly Capability[] = [
  {
    need: "turns",
    title: "several turns",
    module: "@envs/core",
    exports: ["defineEnvironment", "end", "invalid"],
    words: ["setup", "respond"],
    proofs: ["environments/wordle/src/index.ts"],
    test: "environments/wordle/test/wordle.test.ts",
  },
  {
    need: "tools",
    title: "tools",
    module: "@envs/core",
    exports: ["defineEnvironment"],
    words: ["tools", "description", "input", "execute"],
    proofs: ["environments/wiki-search/src/index.ts"],
    test: "environments/wiki-search/test/wiki-search.test.ts",
  },
  {
    need: "data",
    title: "data",
    module: "@envs/data",
    exports: ["huggingFace"],
    words: ["dataset", "schema", "split"],
    proofs: ["examples/ports/boolq.ts"],
    test: "examples/test/ports.test.ts",
  },
  {
    need: "judge",
    title: "judges",
    module: "@envs/scores",
    exports: ["judge", "choices", "structure"],
    words: ["verdict"],
    proofs: ["examples/ports/simpleqa.ts", "examples/llm-judge.ts"],
    test: "examples/test/ports.test.ts",
  },
  {
    need: "maths",
    title: "maths",
    module: "@envs/scores/maths",
    exports: ["sameMath"],
    proofs: ["examples/ports/math500.ts"],
    test: "examples/test/ports.test.ts",
  },
  {
    need: "images",
    title: "images",
    module: "@envs/core",
    exports: ["imagePart", "userMessage"],
    words: ["media"],
    proofs: ["examples/ports/vpct-1.ts"],
    test: "examples/test/ports.test.ts",
  },
  {
    need: "mcp",
    title: "MCP servers",
    module: "@envs/mcp",
    exports: ["mcpTools"],
    words: ["tools"],
    proofs: ["examples/ports/github-mcp.ts"],
    test: "examples/test/ports.test.ts",
  },
  {
    need: "sandbox",
    title: "sandboxes",
    module: "@envs/sandbox",
    exports: ["python", "javascript", "gradeCode"],
    words: ["requires", "gradeCode"],
    proofs: ["examples/ports/humaneval.ts", "examples/ports/colf.ts"],
    test: "examples/test/ports.sandbox.test.ts",
  },
  {
    need: "rlm",
    title: "sub-models",
    module: "@envs/core",
    exports: ["defineEnvironment"],
    words: ["subModel", "maxCalls"],
    proofs: ["examples/ports/colf.ts"],
    test: "examples/test/ports-sandboxes.slow.test.ts",
  },
  {
    need: "group",
    title: "mixes",
    module: "@envs/core",
    exports: ["mix"],
    words: ["parts"],
    proofs: ["examples/ports/bfcl-v3.ts"],
    test: "examples/test/ports.test.ts",
  },
  {
    need: "container",
    title: "containers",
    module: "@envs/sandbox/container",
    exports: ["container"],
    words: ["image"],
    proofs: ["packages/sandbox/test/container.slow.test.ts"],
    test: "packages/sandbox/test/container.slow.test.ts",
  },
];
