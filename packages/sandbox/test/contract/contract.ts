import assert from "node:assert/strict";

import type { SandboxProvider } from "../../src/sandbox.ts";
import { brokenLimits, escapes } from "./boundaries.ts";
import { hostFunctions, lifetime } from "./lifetime.ts";
import { type Snippets, snippets } from "./snippets.ts";
import { type Contract, type Subject, stillWorks, succeeded, within } from "./subject.ts";

export type { Contract } from "./subject.ts";
export type { Snippets } from "./snippets.ts";

/**
 * The checks that a provider needs to pass, for tests of any runner:
 * `for (const [title, check] of Object.entries(sandboxContract(provider))) it(title, check)`.
 */
export function sandboxContract(
  provider: SandboxProvider,
  code: Snippets | undefined = snippets[provider.traits.language],
): Contract {
  if (code === undefined)
    throw new TypeError(`Pass snippets of ${provider.traits.language} as the second argument.`);
  const { persistent, functions } = provider.traits;
  const subject = { provider, code };
  return {
    ...values(subject),
    ...(persistent ? variables(subject) : {}),
    ...files(subject),
    ...brokenLimits(subject),
    ...escapes(subject),
    ...lifetime(subject),
    ...(functions ? hostFunctions(subject) : {}),
  };
}

function values(subject: Subject): Contract {
  const { code } = subject;
  return {
    "separates stdout from stderr, and exits with 0": () =>
      within(subject, async (sandbox) => {
        const out = await sandbox.run(code.print("plum é 💡"));
        assert.equal(succeeded(out), "plum é 💡");
        assert.equal(out.stderr, "");
        assert.equal(out.truncated, false);
        const error = await sandbox.run(code.printError("pear"));
        assert.deepEqual([succeeded(error), error.stderr.trimEnd()], ["", "pear"]);
      }),
    ...(code.value === undefined
      ? {}
      : {
          "returns the value of the last expression": () =>
            within(subject, async (sandbox) => {
              const { value } = await sandbox.run(code.value!);
              assert.deepEqual(value, { list: [1, "é", null] });
            }),
        }),
    "returns an exit code and a message when code fails": () =>
      within(subject, async (sandbox) => {
        const result = await sandbox.run(code.fail);
        assert.notEqual(result.exitCode, 0);
        assert.match(result.stderr, /no such luck/);
        assert.deepEqual([result.timedOut, result.outOfMemory], [false, false]);
        await stillWorks(sandbox, code);
      }),
    "passes standard input": () =>
      within(subject, async (sandbox) => {
        const result = await sandbox.run(code.printStdin, { stdin: "two\nlines é" });
        assert.equal(succeeded(result), "two\nlines é");
      }),
  };
}

function variables(subject: Subject): Contract {
  const { code } = subject;
  return {
    "keeps variables from one run to the next": () =>
      within(subject, async (sandbox) => {
        await sandbox.run(code.setVariable);
        assert.equal(succeeded(await sandbox.run(code.printVariable)), "plum");
      }),
  };
}

function files(subject: Subject): Contract {
  const { code } = subject;
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  return {
    "has the files of its options": () =>
      within(
        subject,
        async (sandbox) => {
          assert.equal(succeeded(await sandbox.run(code.printFile("in/a.txt"))), "plum é");
          assert.deepEqual(Uint8Array.from(await sandbox.read("b.bin")), bytes);
        },
        { files: { "in/a.txt": "plum é", "b.bin": bytes } },
      ),
    "exchanges files with the host": () =>
      within(subject, async (sandbox) => {
        await sandbox.write("in/c.txt", "from the host");
        assert.equal(succeeded(await sandbox.run(code.printFile("in/c.txt"))), "from the host");
        succeeded(await sandbox.run(code.writeFile("d.txt", "from the code")));
        assert.equal(Buffer.from(await sandbox.read("d.txt")).toString(), "from the code");
      }),
    "rejects when the host reads a file that does not exist": () =>
      within(subject, async (sandbox) => {
        await assert.rejects(sandbox.read("nothing.txt"), /nothing\.txt/);
        await stillWorks(sandbox, code);
      }),
  };
}
