/// <reference lib="dom" />
import type { Told } from "../../openenv/told.ts";
import type { Playable } from "../playable.ts";
import { Composer, type Said } from "./composer.ts";
import { add, addSystemPrompt, clear, end } from "./conversation.ts";
import { byId, element } from "./dom.ts";
import { PlaySocket } from "./play-socket.ts";

const environments = JSON.parse(byId("environments").textContent) as readonly Playable[];
const chosen = byId("environment") as HTMLSelectElement;
const split = byId("split") as HTMLSelectElement;
const [index, seed] = [byId("index") as HTMLInputElement, byId("seed") as HTMLInputElement];
const start = byId("start") as HTMLButtonElement;
const [problem, status, title] = [byId("problem"), byId("status"), byId("title")];
const composer = new Composer(say, tellProblem);
let socket: PlaySocket | undefined;
/** What the episode is of: another environment may be chosen meanwhile. */
let playing = environments[0]!;

function environment(): Playable {
  return environments.find(({ name }) => name === chosen.value)!;
}

function showEnvironment(): void {
  const { name, version, description, splits, maxTurns, scores } = environment();
  byId("description").textContent = description === name ? "" : description;
  split.replaceChildren(...splits.map((each) => element("option", {}, [each.name])));
  const initial = splits.find((each) => each.name === "train") ?? splits[0];
  if (initial !== undefined) split.value = initial.name;
  const counted = scores.filter(({ weight }) => weight !== 0);
  const rows = counted.map((score) =>
    element("li", {}, [
      element("b", {}, [score.name]),
      score.description === undefined ? "" : ` – ${score.description}`,
    ]),
  );
  byId("about").replaceChildren(
    element("h2", {}, [version === undefined ? name : `${name} ${version}`]),
    element("p", {}, [
      maxTurns === 1 ? "You answer once." : `You speak at most ${maxTurns} times.`,
    ]),
    element("p", {}, ["You are scored by:"]),
    element("ul", {}, rows),
  );
  showSplit();
}

function showSplit(): void {
  const size = environment().splits.find(({ name }) => name === split.value)?.size ?? null;
  index.max = size === null ? "" : String(size - 1);
  byId("size").textContent =
    size === null
      ? "Endless examples, counted from 0"
      : `${size.toLocaleString("en")} ${size === 1 ? "example" : "examples"}, counted from 0`;
}

function tellProblem(message: string): void {
  problem.textContent = message;
  problem.hidden = false;
  problem.scrollIntoView({ block: "nearest" });
}

function lost(reason: string): void {
  composer.hide();
  status.textContent = "";
  tellProblem(`The connection to the server is lost, and the episode with it. ${reason}`);
  start.disabled = false;
  start.textContent = "Start again";
}

/** A socket with the chosen environment: the one that is there, or another one. */
function connect(): PlaySocket {
  if (socket !== undefined && !socket.isOver && socket.environment === chosen.value) return socket;
  socket?.close();
  socket = new PlaySocket(chosen.value, lost);
  return socket;
}

async function begin(): Promise<void> {
  playing = environment();
  problem.hidden = true;
  title.hidden = true;
  byId("empty").hidden = true;
  start.disabled = true;
  clear();
  composer.hide();
  status.textContent = "Starting…";
  const session = connect();
  try {
    const told = await session.reset({
      split: split.value,
      ...(index.value !== "" && { index: Number(index.value) }),
      ...(seed.value !== "" && { seed: Number(seed.value) }),
    });
    const { task } = await session.state();
    title.textContent = `${playing.name} · ${task?.split ?? ""} · example ${task?.index ?? ""}`;
    title.hidden = false;
    if (told.observation.system_prompt !== undefined)
      addSystemPrompt(told.observation.system_prompt);
    composer.show(playing);
    show(told);
  } catch (error) {
    if (!session.isOver) tellProblem((error as Error).message);
  } finally {
    status.textContent = "";
    start.disabled = false;
    start.textContent = "Start another";
  }
}

async function say({ action, who, text }: Said): Promise<void> {
  const session = socket;
  if (session === undefined) return;
  problem.hidden = true;
  composer.wait();
  status.textContent = "The environment answers…";
  try {
    const told = await session.step(action);
    add(who, text, "player");
    show(told);
  } catch (error) {
    if (session.isOver) return;
    tellProblem((error as Error).message);
    composer.ready(false);
  } finally {
    status.textContent = "";
  }
}

function show(told: Told): void {
  const { text, tool_name: tool, result, error } = told.observation;
  const said = text ?? result ?? "";
  if (error) add(`Not done · ${tool}`, error.message, "problem");
  else if (said !== "")
    add(tool === undefined ? "Environment" : `Answer · ${tool}`, said, "environment");
  if (!told.done) return composer.ready(true);
  composer.hide();
  end(told, playing);
}

chosen.addEventListener("change", showEnvironment);
split.addEventListener("change", showSplit);
byId("choice").addEventListener("submit", (event) => {
  event.preventDefault();
  void begin();
});
showEnvironment();
// Before this, the browser would send the form itself, and load the page anew.
start.disabled = false;
