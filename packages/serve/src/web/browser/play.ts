/// <reference lib="dom" />
import type { PlayableEnvironment } from "../playable-environment.ts";
import { Composer, type PlayerAction } from "./composer.ts";
import { addEntry, addSystemPrompt, clearConversation, showOutcome } from "./conversation.ts";
import { byId, element } from "./dom.ts";
import { type PlayResult, PlaySocket } from "./play-socket.ts";

const environments = JSON.parse(byId("environments").textContent) as readonly PlayableEnvironment[];
const environmentSelect = byId("environment") as HTMLSelectElement;
const splitSelect = byId("split") as HTMLSelectElement;
const [index, seed] = [byId("index") as HTMLInputElement, byId("seed") as HTMLInputElement];
const start = byId("start") as HTMLButtonElement;
const [problem, status, title] = [byId("problem"), byId("status"), byId("title")];
const composer = new Composer(sendAction, showProblem);
let socket: PlaySocket | undefined;
/** The environment of the running episode. The player may select another meanwhile. */
let playing = environments[0]!;

function selectedEnvironment(): PlayableEnvironment {
  return environments.find(({ name }) => name === environmentSelect.value)!;
}

function showEnvironment(): void {
  const { name, version, description, splits, maxTurns, scores } = selectedEnvironment();
  byId("description").textContent = description === name ? "" : description;
  splitSelect.replaceChildren(...splits.map((split) => element("option", {}, [split.name])));
  const initial = splits.find((split) => split.name === "train") ?? splits[0];
  if (initial !== undefined) splitSelect.value = initial.name;
  const scoreItems = scores
    .filter(({ weight }) => weight !== 0)
    .map((score) =>
      element("li", {}, [
        element("b", {}, [score.name]),
        score.description === undefined ? "" : ` – ${score.description}`,
      ]),
    );
  byId("about").replaceChildren(
    element("h2", {}, [version === undefined ? name : `${name} ${version}`]),
    element("p", {}, [maxTurns === 1 ? "You reply once." : `You reply at most ${maxTurns} times.`]),
    element("p", {}, ["Your score depends on:"]),
    element("ul", {}, scoreItems),
  );
  showSplit();
}

function showSplit(): void {
  const { splits } = selectedEnvironment();
  const size = splits.find(({ name }) => name === splitSelect.value)?.size ?? null;
  index.max = size === null ? "" : String(size - 1);
  byId("size").textContent =
    size === null
      ? "Endless examples, counted from 0"
      : `${size.toLocaleString("en")} ${size === 1 ? "example" : "examples"}, counted from 0`;
}

function showProblem(message: string): void {
  problem.textContent = message;
  problem.hidden = false;
  problem.scrollIntoView({ block: "nearest" });
}

function handleLost(reason: string): void {
  composer.hide();
  status.textContent = "";
  showProblem(`The connection to the server was lost, and the episode with it. ${reason}`);
  start.disabled = false;
  start.textContent = "Start again";
}

/** Reuses the socket if it is connected to the selected environment. */
function connect(): PlaySocket {
  const name = environmentSelect.value;
  if (socket !== undefined && !socket.isClosed && socket.environment === name) return socket;
  socket?.close();
  socket = new PlaySocket(name, handleLost);
  return socket;
}

async function startEpisode(): Promise<void> {
  playing = selectedEnvironment();
  problem.hidden = true;
  title.hidden = true;
  byId("empty").hidden = true;
  start.disabled = true;
  clearConversation();
  composer.hide();
  status.textContent = "Starting…";
  const session = connect();
  try {
    const result = await session.reset({
      split: splitSelect.value,
      index: index.value === "" ? undefined : Number(index.value),
      seed: seed.value === "" ? undefined : Number(seed.value),
    });
    const { task } = await session.state();
    title.textContent = `${playing.name} · ${task?.split ?? ""} · example ${task?.index ?? ""}`;
    title.hidden = false;
    if (result.observation.system_prompt !== undefined)
      addSystemPrompt(result.observation.system_prompt);
    composer.show(playing);
    showResult(result);
  } catch (error) {
    if (!session.isClosed) showProblem((error as Error).message);
  } finally {
    status.textContent = "";
    start.disabled = false;
    start.textContent = "Start another";
  }
}

async function sendAction({ action, title: entryTitle, text }: PlayerAction): Promise<void> {
  const session = socket;
  if (session === undefined) return;
  problem.hidden = true;
  composer.disable();
  status.textContent = "Waiting for the environment…";
  try {
    const result = await session.step(action);
    addEntry(entryTitle, text, "player");
    showResult(result);
  } catch (error) {
    if (session.isClosed) return;
    showProblem((error as Error).message);
    composer.enable({ isCleared: false });
  } finally {
    status.textContent = "";
  }
}

function showResult(playResult: PlayResult): void {
  const { text, tool_name: tool, result, error } = playResult.observation;
  const reply = text ?? result ?? "";
  if (error) addEntry(`Rejected · ${tool}`, error.message, "problem");
  else if (reply !== "")
    addEntry(tool === undefined ? "Environment" : `Answer · ${tool}`, reply, "environment");
  if (!playResult.done) return composer.enable({ isCleared: true });
  composer.hide();
  showOutcome(playResult, playing);
}

environmentSelect.addEventListener("change", showEnvironment);
splitSelect.addEventListener("change", showSplit);
byId("choice").addEventListener("submit", (event) => {
  event.preventDefault();
  void startEpisode();
});
showEnvironment();
// Enabled last: without the listeners above, the browser would submit the form and reload the page.
start.disabled = false;
