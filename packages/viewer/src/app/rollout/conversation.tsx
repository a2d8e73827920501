import { useEffect, useRef } from "react";

import type { ViewedRollout } from "../../record/rollout.ts";
import type { Address, Navigate } from "../address.ts";
import { useKeys } from "../keys.ts";
import { Branches } from "./branches.tsx";
import { MessageView } from "./message-view.tsx";

interface ConversationProps {
  readonly viewed: ViewedRollout;
  readonly address: Address;
  readonly navigate: Navigate;
  /** Whether thinking is unfolded. */
  readonly hasThoughts: boolean;
}

/** The messages of the prompt and of the rollout. The address can name one. */
export function Conversation({ viewed, address, navigate, hasThoughts }: ConversationProps) {
  const list = useRef<HTMLOListElement>(null);
  const current = address.message === "" ? undefined : Number(address.message);
  useEffect(() => {
    if (current !== undefined) list.current?.children[current]?.scrollIntoView({ block: "start" });
  }, [current]);
  const move = (by: number) => () => {
    const target = (current ?? -1) + by;
    if (target >= 0 && target < viewed.messages.length)
      navigate({ message: String(target) }, "replace");
  };
  useKeys({ "]": move(1), "[": move(-1) });
  return (
    <ol className="conversation" ref={list} aria-label="Conversation">
      {viewed.messages.map((message, index) => (
        <li key={index} className={index === current ? "current" : undefined}>
          <MessageView
            run={address.run}
            message={message}
            turn={message.turn === undefined ? undefined : viewed.turns[message.turn]}
            isMarkdown={address.format === "markdown"}
            hasThoughts={hasThoughts}
            query={address.text}
            onLink={() => navigate({ message: String(index) })}
          />
          <Branches branches={branchesAt(viewed, index)} query={address.text} />
        </li>
      ))}
    </ol>
  );
}

/**
 * The calls below a message: the calls of its turn; below the prompt, the calls before the first turn; below the last message,
 * the calls of an agent that failed afterwards.
 */
function branchesAt(
  { branches = [], messages, promptLength, turns }: ViewedRollout,
  index: number,
) {
  const turn = messages[index]?.turn;
  const hasOwn = turn !== undefined || index === promptLength - 1;
  const isLast = index === messages.length - 1;
  return branches.filter(
    (branch) => (hasOwn && branch.turn === turn) || (isLast && (branch.turn ?? -1) >= turns.length),
  );
}
