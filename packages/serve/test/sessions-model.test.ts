import fc from "fast-check";
import { expect, test } from "vitest";

import { type EnvironmentServer, serve } from "../src/index.ts";
import { patient, type Seen } from "./fixtures/patient.ts";
import { answering, message, nemoClient, rowOf } from "./support/nemo-client.ts";
import { OpenenvSocket, until } from "./support/openenv-socket.ts";
import { orsClient } from "./support/ors-client.ts";

const most = 3;

interface Player {
  /** Ends the session, as its protocol does. */
  close(): Promise<unknown>;
  /** Ends the episode, and gives the reward that is told: nothing, if it was told before. */
  end(): Promise<unknown>;
}

/** Takes a place by a protocol; `undefined` if there is none. */
type Join = (server: EnvironmentServer, name: string) => Promise<Player | undefined>;

const protocols: Readonly<Record<string, Join>> = {
  async openenv({ url }) {
    const socket = await OpenenvSocket.open(url);
    const opened = await socket.reset();
    if (opened?.type === "error") {
      expect(opened.data.code).toBe("CAPACITY_REACHED");
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
        const { json } = await agent.post("step", answering(rowOf(0), message("end")));
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
  readonly seen: Seen;
  readonly players: Player[];
}

/** An outcome of NeMo Gym ends its session. */
const holdsPlace = ({ protocol, isOver }: Model["players"][number]): boolean =>
  !(protocol === "nemo" && isOver);

class JoinCommand implements fc.AsyncCommand<Model, Real> {
  readonly #protocol: string;
  constructor(protocol: string) {
    this.#protocol = protocol;
  }

  check = () => true;

  async run(model: Model, { server, players }: Real): Promise<void> {
    const taken = model.players.filter(holdsPlace).length;
    const player = await protocols[this.#protocol]!(server, `session ${crypto.randomUUID()}`);
    expect(player !== undefined).toBe(taken < most);
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

  async run(model: Model, { players, seen }: Real): Promise<void> {
    const at = this.#which % players.length;
    const expected = model.players[at]!;
    if (this.#do === "end") {
      expect(await players[at]!.end()).toBe(expected.isOver ? null : 1);
      expected.isOver = true;
      return;
    }
    const { closed } = seen;
    await players[at]!.close();
    players.splice(at, 1);
    model.players.splice(at, 1);
    if (holdsPlace(expected)) await until(() => seen.closed === closed + 1);
  }

  toString = () => `${this.#do} ${this.#which}`;
}

test("the session of one protocol is none of another's", async () => {
  const seen: Seen = { cancelled: 0, closed: 0 };
  await using server = await serve([patient(seen)], { port: 0 });
  const ors = orsClient(server, "mine");
  await ors.post("/create", { split: "train", index: 0 });
  const agent = nemoClient(server, "patient");
  agent.setCookie("session=mine");
  expect((await agent.post("step", answering(rowOf(0), message("end")))).status).toBe(410);
  expect((await agent.post("close")).status).toBe(200);
  const { cookie } = await agent.post("reset", rowOf(0));
  const id = /session=(?<id>[^;]+)/u.exec(cookie ?? "")!.groups!.id!;
  expect(id).not.toBe("mine");
  expect((await orsClient(server, id).post("/ping")).status).toBe(404);
  expect((await orsClient(server, id).post("/delete")).status).toBe(200);
  await using socket = await OpenenvSocket.open(server.url, `/ws?session_id=${id}`);
  expect((await socket.next())?.data.code).toBe("SESSION_ERROR");
  expect(seen.closed).toBe(0);
  const { output } = await ors.call("/patient/call", "respond", { text: "end" });
  expect(output?.reward).toBe(1);
});

test("sessions of all protocols share their places: each reward is told once, and each place is free again", async () => {
  const seen: Seen = { cancelled: 0, closed: 0 };
  await using server = await serve([patient(seen)], { port: 0, sessions: most });
  const which = fc.nat({ max: 9 });
  const commands = fc.commands(
    [
      fc.constantFrom(...Object.keys(protocols)).map((name) => new JoinCommand(name)),
      which.map((each) => new PlayerCommand("end", each)),
      which.map((each) => new PlayerCommand("close", each)),
    ],
    { maxCommands: 30 },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (all) => {
      const model: Model = { players: [] };
      const real: Real = { server, seen, players: [] };
      try {
        await fc.asyncModelRun(() => ({ model, real }), all);
      } finally {
        const open = model.players.filter(holdsPlace).length;
        const { closed } = seen;
        for (const player of real.players) await player.close();
        await until(() => seen.closed === closed + open);
      }
    }),
    { numRuns: 60 },
  );
});
