import type { ViewedSeat } from "../../record/rollout.ts";
import { figure } from "../format.ts";
import { MessageTexts } from "./message-texts.tsx";

interface SeatsProps {
  readonly seats: readonly ViewedSeat[];
  readonly query: string;
}

/** The conversations of the other seats that models have played, folded. */
export function Seats({ seats, query }: SeatsProps) {
  return seats.map(({ name, model, reward, messages }) => (
    <details key={name} className="branches seat">
      <summary>
        seat {name}
        <span className="quiet">
          {model !== undefined && ` played by ${model}`} · reward {figure(reward)}
        </span>
      </summary>
      <MessageTexts messages={messages} query={query} />
    </details>
  ));
}
