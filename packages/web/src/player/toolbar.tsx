import { type ReactNode, useState } from "react";

import { type GameState, watching } from "./game-state.ts";
import type { Game } from "./game.ts";

const shownMs = 1500;

/** The actions besides moving: take back, play again, the next example, ask for a hint, share. */
export function Toolbar({
  state: { phase, setup, moves },
  game,
  hints,
}: {
  readonly state: GameState;
  readonly game: Game | undefined;
  /** The models and policies that can give a hint. */
  readonly hints: readonly string[];
}): ReactNode {
  const isIdle = phase === "turn" || phase === "over" || phase === "failed";
  const hasMoved = moves.some(({ by }) => by === "person");
  const next = { ...setup, example: setup.example + 1 };
  const isOver = phase === "over" || phase === "failed";
  return (
    <div className="player-tools" role="group" aria-label="Game">
      {isOver && (
        <button type="button" className="small" onClick={() => void game?.start(next)}>
          Next example
        </button>
      )}
      {setup.role !== watching && (
        <Tool isEnabled={isIdle && hasMoved} onClick={() => void game?.undo()}>
          Undo
        </Tool>
      )}
      <Tool isEnabled={isIdle} onClick={() => void game?.start(setup)}>
        Play again
      </Tool>
      {isOver && (
        <Tool
          isEnabled={moves.length > 0}
          onClick={() => void game?.start(setup, moves, { isSlow: true })}
        >
          Replay
        </Tool>
      )}
      {phase !== "over" &&
        hints.map((name) => (
          <Tool key={name} isEnabled={phase === "turn"} onClick={() => void game?.hint(name)}>
            Ask {name}
          </Tool>
        ))}
      <ShareButton />
    </div>
  );
}

function Tool({
  isEnabled,
  onClick,
  children,
}: {
  readonly isEnabled: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <button
      type="button"
      className="second small"
      aria-disabled={!isEnabled}
      onClick={() => {
        if (isEnabled) onClick();
      }}
    >
      {children}
    </button>
  );
}

/** The address of the page has the whole game. */
function ShareButton(): ReactNode {
  const [isCopied, setIsCopied] = useState(false);
  return (
    <button
      type="button"
      className="second small"
      onClick={() => {
        void navigator.clipboard.writeText(location.href).then(() => {
          setIsCopied(true);
          setTimeout(() => setIsCopied(false), shownMs);
        });
      }}
    >
      {isCopied ? "Copied" : "Copy link"}
    </button>
  );
}
