import { readdirSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

import { conversationOf } from "../conversation.ts";
import { play, repeating } from "../play.ts";
import { counted, notTried, outcome, type Rule } from "../rule.ts";

const rollouts = 8;
const settleTimes = 20;

export const openHandles: Rule = {
  id: "open-handles",
  severity: "medium",
  asks: "A rollout releases what it opened.",
  decides:
    "Counts timers, sockets, processes and, on Linux, open files, after a first rollout and after eight more. A finding is a kind of which at least one for each rollout is left after two seconds. A pool that all rollouts share does not grow.",
  remedy: "Return it from `setup` as a disposable field, or release it in `close`.",

  async check(subject) {
    const [first] = subject.cases;
    if (first === undefined) return notTried("no examples");
    const once = async (): Promise<void> => {
      await play(subject, first.keyed, repeating(first.best));
    };
    for (let index = 0; index < 2; index += 1) await once();
    await wait(200);
    const before = openResources();
    for (let index = 0; index < rollouts; index += 1) await once();
    const after = await settled(before);
    const leak = [...after].find(([kind, count]) => count - (before.get(kind) ?? 0) >= rollouts);
    const tried = counted(rollouts, "rollout");
    if (leak === undefined) return outcome(tried, []);
    const [kind, count] = leak;
    return outcome(tried, [
      {
        variant: "",
        message: `${count - (before.get(kind) ?? 0)} more of ${kind} are open after ${tried}`,
        conversations: [conversationOf("one of the rollouts", first.best)],
      },
    ]);
  },
};

/** Counts open handles until none is left or two seconds have passed. */
async function settled(before: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> {
  let counts = openResources();
  for (let time = 0; time < settleTimes; time += 1) {
    const isMore = [...counts].some(([kind, number]) => number > (before.get(kind) ?? 0));
    if (!isMore) break;
    await wait(100);
    counts = openResources();
  }
  return counts;
}

function openResources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo())
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  try {
    counts.set("file descriptors", readdirSync("/proc/self/fd").length);
  } catch {
    // Only Linux has the folder /proc/self/fd.
  }
  return counts;
}
