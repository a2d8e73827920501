import { describeContent } from "@envs/core/engine";
import { type ReactNode, type RefObject, useEffect, useRef } from "react";

import { defineIsland } from "../island/define-island.ts";
import { BoardGrid, hasMoves } from "./board-grid.tsx";
import { ChoiceList } from "./choice-list.tsx";
import { Composer } from "./composer.tsx";
import { Conversation, Reply } from "./conversation.tsx";
import { type GameState, type Move, watching } from "./game-state.ts";
import type { Game } from "./game.ts";
import { ScorePanel } from "./score-panel.tsx";
import type { PlayerProps } from "./session.ts";
import { playersOf, SetupForm } from "./setup-form.tsx";
import { Toolbar } from "./toolbar.tsx";
import { useGame } from "./use-game.ts";

export type { PlayerProps } from "./session.ts";

/** A page on which a person takes the model's turn or a seat, or watches a model. */
function Player(props: PlayerProps): ReactNode {
  const { state, game } = useGame(props);
  const { phase, started, problem } = state;
  const table = useRef<HTMLDivElement>(null);
  const focusLater = useFocusAfterStart(table, phase);
  return (
    <div className="player" data-phase={phase}>
      <div className="player-play" ref={table}>
        {problem !== undefined && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        {started === undefined ? (
          <p className="player-empty">
            {phase === "busy"
              ? state.status
              : "You see what a model sees, and reply in its place. Choose what you play and press Start."}
          </p>
        ) : (
          <Play {...{ props, state, game }} />
        )}
        <noscript>
          <p className="problem">This page needs JavaScript.</p>
        </noscript>
      </div>
      {started !== undefined && (
        <>
          <ScorePanel scores={state.scores} descriptions={props.scores} isOver={phase === "over"} />
          <div className="player-talk">
            <Conversation entries={state.entries} />
          </div>
        </>
      )}
      <SetupForm
        // The setup of a link is known after the page has loaded.
        key={game === undefined ? "server" : "page"}
        props={props}
        setup={state.setup}
        hasStarted={started !== undefined}
        isReady={game !== undefined && phase !== "busy"}
        onStart={(setup) => {
          focusLater();
          void game?.start(setup);
        }}
      />
    </div>
  );
}

/** What a person uses first: the board, a reply to choose, the text field; else the status. */
const firstControls = [
  '[role="grid"] [tabindex="0"]',
  ".choices input, .choices button",
  ".composer textarea",
  ".player-status",
];

/** Moves the focus from the button Start, which is disabled while the game loads, to the game. */
function useFocusAfterStart(
  table: RefObject<HTMLDivElement | null>,
  phase: GameState["phase"],
): () => void {
  const waits = useRef(false);
  useEffect(() => {
    if (!waits.current || !["turn", "over", "failed"].includes(phase)) return;
    waits.current = false;
    const found = firstControls.flatMap(
      (selector) => table.current?.querySelector<HTMLElement>(selector) ?? [],
    );
    found[0]?.focus();
  }, [table, phase]);
  return () => {
    waits.current = true;
  };
}

function Play({
  props,
  state,
  game,
}: {
  readonly props: PlayerProps;
  readonly state: GameState;
  readonly game: Game | undefined;
}): ReactNode {
  const { view, phase, setup, hint, started, lastReply } = state;
  const isTurn = phase === "turn";
  const plays = setup.role !== watching;
  const move = (reply: Move["reply"]): void => void game?.move(reply);
  return (
    <div className="player-table">
      {view?.board !== undefined && (
        <BoardGrid
          board={view.board}
          isActive={isTurn}
          moveOf={({ reply }) => reply}
          onMove={move}
        />
      )}
      <div className="player-controls">
        <p className="player-status" role="status" tabIndex={-1}>
          {statusOf(state)}
        </p>
        {lastReply !== undefined && (
          <div className="player-thought">
            <p className="talk-author">{lastReply.author}</p>
            <Reply message={lastReply.message} />
          </div>
        )}
        {plays && !hasMoves(view?.board) && (
          <ChoiceList
            choices={view?.choices ?? []}
            isActive={isTurn}
            onChoose={({ reply }) => move(reply)}
          />
        )}
        {hint !== undefined && (
          <div className="player-hint">
            <p className="talk-author">{hint.author} would reply</p>
            <Reply message={hint.message} />
            <button type="button" className="second small" onClick={() => move(hint.message)}>
              Play this
            </button>
          </div>
        )}
        <Toolbar state={state} game={game} hints={plays ? hintersOf(props) : []} />
        {phase !== "over" && phase !== "failed" && plays && (
          <Typed {...{ state, move }} tools={started?.tools ?? []} />
        )}
      </div>
    </div>
  );
}

/** A model and the best policy; others would crowd the page. */
function hintersOf(props: PlayerProps): readonly string[] {
  const players = playersOf(props);
  const best = players.find((name) => name.startsWith("policy:"));
  return players.filter((name) => name.startsWith("tiny:") || name === best).slice(0, 2);
}

/** Typing is the main way to reply, unless there is something to click. */
function Typed({
  state,
  tools,
  move,
}: {
  readonly state: GameState;
  readonly tools: PlayerProps["tools"];
  readonly move: (reply: Move["reply"]) => void;
}): ReactNode {
  const { view, phase } = state;
  const canClick = hasMoves(view?.board) || (view?.choices ?? []).length > 0;
  const composer = (
    <Composer label="Your reply" tools={tools} isActive={phase === "turn"} onSend={move} />
  );
  return canClick ? (
    <details className="player-typed">
      <summary>Type instead</summary>
      {composer}
    </details>
  ) : (
    composer
  );
}

/** The messages that describe the position to the person. */
function statusOf({ phase, status, view, setup, entries }: GameState): string {
  if (phase === "busy") return status;
  if (phase === "failed") return "The episode is lost. Start again.";
  if (phase === "over")
    return [lastLine(entries), endOf(view?.stopReason ?? "end")].join(" ").trim();
  if (view?.isInvalid === true) return "The environment rejected this reply. Try again.";
  return setup.role === watching ? "" : "It is your turn.";
}

/** The last line of the environment, which often states the result; empty if it is long. */
function lastLine(entries: GameState["entries"]): string {
  const last = entries.at(-1)?.message;
  const line =
    last?.role === "user" ? (describeContent(last.content).trim().split("\n").at(-1) ?? "") : "";
  return line.length <= 80 ? line : "";
}

const ends: Readonly<Record<string, string>> = {
  end: "The episode is over.",
  turns: "The episode is over: the limit of turns was reached.",
};

function endOf(stopReason: string): string {
  return ends[stopReason] ?? `The episode is over: ${stopReason}.`;
}

export const playerIsland = defineIsland("player", Player);
