import fc from "fast-check";
import { expect, test } from "vitest";

import { type EnvironmentServer, serve } from "../src/index.ts";
import { patient, type EpisodeCounts } from "./fixtures/patient.ts";
import { rowWithOutput, message, nemoClient, rowOf } from "./support/nemo-client.ts";
import { OpenenvSocket, until } from "./support/openenv-socket.ts";
import { orsClient } from "./support/ors-client.ts";

const maxSessions = 3;

interface Player {
  /** Closes the session. */
  close(): Promise<unknown>;
  /** Ends the episode. Resolves to the reward, or `null` if an earlier call returned it. */
  end(): Promise<unknown>;
}

/** Opens a session by a protocol; `undefined` at the limit. */
type Join = (server: EnvironmentServer, name: string) => Promise<Player | undefined>;

const protocols: Readonly<Record<string, Join>> = {
  async openenv({ url }) {
    const socket = await OpenenvSocket.open(url);
    const response = await socket.reset();
    if (response?.type === "error") {
      expect(response.data.code).toBe("CAPACITY_REACHED");
      await socket.closed;
      return undefined;
    }
    return {
      close: () => socket[Symbol.asyncDispose](),
      end: async () => (await socket.step({ text: "end" }))?.data.reward,
    };
  },
  async ors(server, name) {
    const { post, call } = orsClient(server, name);
    const { status } = await post("/create", { split: "train", index: 0 });
    if (status === 429) return undefined;
    expect(status).toBe(200);
    return {
      close: () => post("/delete"),
      end: async () =>
        (await call("/patient/call", "respond", { text: "end" })).output?.reward ?? null,
    };
  },
  async nemo(server) {
    const agent = nemoClient(server, "patient");
    const { status } = await agent.post("reset", rowOf(0));
    if (status === 429) return undefined;
    expect(status).toBe(200);
    return {
      close: () => agent.post("close"),
      async end() {
        const { json } = await agent.post("step", rowWithOutput(rowOf(0), message("end")));
        return json.reward === 0 ? null : json.reward;
      },
    };
  },
};

interface Model {
  readonly players: { protocol: string; isOver: boolean }[];
}

interface Real {
  readonly server: EnvironmentServer;
  readonly counts: EpisodeCounts;
  readonly players: Player[];
}

/** A NeMo Gym session closes with its episode. */
const usesSession = ({ protocol, isOver }: Model["players"][number]): boolean =>
  !(protocol === "nemo" && isOver);

class JoinCommand implements fc.AsyncCommand<Model, Real> {
  readonly #protocol: string;
  constructor(protocol: string) {
    this.#protocol = protocol;
  }

  check = () => true;

  async run(model: Model, { server, players }: Real): Promise<void> {
    const used = model.players.filter(usesSession).length;
    const player = await protocols[this.#protocol]!(server, `session ${crypto.randomUUID()}`);
    expect(player !== undefined).toBe(used < maxSessions);
    if (player === undefined) return;
    players.push(player);
    model.players.push({ protocol: this.#protocol, isOver: false });
  }

  toString = () => `join by ${this.#protocol}`;
}

class PlayerCommand implements fc.AsyncCommand<Model, Real> {
  readonly #do: "end" | "close";
  readonly #which: number;
  constructor(action: "end" | "close", which: number) {
    this.#do = action;
    this.#which = which;
  }

  check = ({ players }: Model) => players.length > 0;

  async run(model: Model, { players, counts }: Real): Promise<void> {
    const at = this.#which % players.length;
    const expected = model.players[at]!;
    if (this.#do === "end") {
      expect(await players[at]!.end()).toBe(expected.isOver ? null : 1);
      expected.isOver = true;
      return;
    }
    const { closed } = counts;
    await players[at]!.close();
    players.splice(at, 1);
    model.players.splice(at, 1);
    if (usesSession(expected)) await until(() => counts.closed === closed + 1);
  }

  toString = () => `${this.#do} ${this.#which}`;
}

test("a session is unknown to other protocols", async () => {
  const counts: EpisodeCounts = { cancelled: 0, closed: 0 };
  await using server = await serve([patient(counts)], { port: 0 });
  const ors = orsClient(server, "mine");
  await ors.post("/create", { split: "train", index: 0 });
  const agent = nemoClient(server, "patient");
  agent.setCookie("session=mine");
  expect((await agent.post("step", rowWithOutput(rowOf(0), message("end")))).status).toBe(410);
  expect((await agent.post("close")).status).toBe(200);
  const { cookie } = await agent.post("reset", rowOf(0));
  const id = /session=(?<id>[^;]+)/u.exec(cookie ?? "")!.groups!.id!;
  expect(id).not.toBe("mine");
  expect((await orsClient(server, id).post("/ping")).status).toBe(404);
  expect((await orsClient(server, id).post("/delete")).status).toBe(200);
  await using socket = await OpenenvSocket.open(server.url, `/ws?session_id=${id}`);
  expect((await socket.next())?.data.code).toBe("SESSION_ERROR");
  expect(counts.closed).toBe(0);
  const { output } = await ors.call("/patient/call", "respond", { text: "end" });
  expect(output?.reward).toBe(1);
});

test("protocols share the session limit, return each reward once, and free each session", async () => {
  const counts: EpisodeCounts = { cancelled: 0, closed: 0 };
  await using server = await serve([patient(counts)], { port: 0, sessions: maxSessions });
  const which = fc.nat({ max: 9 });
  const commands = fc.commands(
    [
      fc.constantFrom(...Object.keys(protocols)).map((name) => new JoinCommand(name)),
      which.map((index) => new PlayerCommand("end", index)),
      which.map((index) => new PlayerCommand("close", index)),
    ],
    { maxCommands: 30 },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (all) => {
      const model: Model = { players: [] };
      const real: Real = { server, counts, players: [] };
      try {
        await fc.asyncModelRun(() => ({ model, real }), all);
      } finally {
        const open = model.players.filter(usesSession).length;
        const { closed } = counts;
        for (const player of real.players) await player.close();
        await until(() => counts.closed === closed + open);
      }
    }),
    { numRuns: 60 },
  );
});
