import type { ErrorEntry } from "@envs/records/error-reference";

/** An error of a session, with its status over HTTP. */
export interface ServeErrorEntry extends ErrorEntry {
  readonly status: 400 | 404 | 409 | 410 | 422 | 429 | 500 | 503 | 504;
}

/** The errors of sessions, by code. */
export const serveErrors = {
  capacity: {
    status: 429,
    what: "The server does not accept another session.",
    why: "All sessions are in use, or too many connections or request bodies are open at once.",
    fix: "Close sessions that you no longer need, or raise `--sessions`.",
  },
  "unknown-environment": {
    status: 404,
    what: "The server does not serve this environment.",
    why: "The name is misspelled, or the environment was not passed to `envs serve`.",
    fix: "Use a name from the message, or restart the server with the environment.",
  },
  "unknown-split": {
    status: 400,
    what: "The environment does not have this split.",
    why: "The message lists the splits of the environment.",
    fix: "Correct the split in the request.",
  },
  "unknown-task": {
    status: 400,
    what: "The example does not exist.",
    why: "Its index or id is outside the split, or the request lacks the split or the index.",
    fix: "Request an index below the size of the split.",
  },
  "unknown-seat": {
    status: 400,
    what: "The environment does not have this seat.",
    why: "The message lists the seats of the environment.",
    fix: "Correct the seat in the request, or omit it: then the model takes the first.",
  },
  "unknown-tool": {
    status: 404,
    what: "The environment does not have this tool.",
    why: "The model wrote a tool name that does not exist.",
    fix: "Return the message to the model as the tool's result. The list of tools is in the response of the reset.",
  },
  "invalid-action": {
    status: 422,
    what: "The action does not match its schema.",
    why: "A field is missing or has the wrong type, or the session id is already in use.",
    fix: "Correct the fields that the message lists.",
  },
  "no-episode": {
    status: 409,
    what: "The session has no running episode.",
    why: "The client sent an action before a reset, or after an error of the environment, which ends the episode.",
    fix: "Reset the session first.",
  },
  closed: {
    status: 410,
    what: "The session is closed.",
    why: "The client closed it, it was idle for too long, or the server is shutting down.",
    fix: "Open a new session. If sessions time out, raise `--idle-timeout`.",
  },
  draining: {
    status: 503,
    what: "The server does not accept new sessions, because it is shutting down.",
    why: "It received SIGTERM or Ctrl-C, and gives open episodes the time of `--drain` to end.",
    fix: "Wait for the seconds of the `Retry-After` header, and try again or use another server.",
  },
  timeout: {
    status: 504,
    what: "A reset, a step or a score exceeded the time limit, which ended the episode.",
    why: "The environment did not answer, for example because it waits for a service that hangs.",
    fix: "Reset the session. If the environment needs more time, raise `--step-timeout`.",
  },
  "unsupported-media": {
    status: 422,
    what: "The protocol cannot carry an image, audio or a file of the episode.",
    why: "The environment sends more than text, and this place of the protocol is text: NeMo Gym's tool results and observations, and the instructions of an MCP server. ORS carries images only, as bytes.",
    fix: "Train over a protocol that can: OpenEnv's WebSocket carries every part, ORS images, and the rows of `envs export nemo` the media of prompts.",
  },
  lost: {
    status: 500,
    what: "The episode was lost.",
    why: "Its process ended: an environment crashed it, exhausted its memory, or blocked it for longer than `--step-timeout`.",
    fix: "Reset the session, or open another. The cause is in the server's log.",
  },
} as const satisfies Record<string, ServeErrorEntry>;

/** The error frames over OpenEnv's WebSocket, by code. */
export const frameErrors = {
  INVALID_JSON: {
    what: "The frame is not JSON.",
    why: "It was truncated, or is not text.",
    fix: "Send a JSON object as a text frame.",
  },
  UNKNOWN_TYPE: {
    what: "The frame has an unknown type.",
    why: "Frames are of type `reset`, `step`, `state`, `mcp` or `close`.",
    fix: "Correct the `type` field, or update the OpenEnv client.",
  },
  VALIDATION_ERROR: {
    what: "The frame or its action does not match the schema.",
    why: "The `errors` field lists each field with its problem.",
    fix: "Correct these fields.",
  },
  EXECUTION_ERROR: {
    what: "The episode failed while it processed the frame.",
    why: "The environment threw, the action was not possible, or the episode was lost.",
    fix: "Read the message. If it refers to the server's log, fix the environment; otherwise correct the action or reset.",
  },
  CAPACITY_REACHED: {
    what: "The server does not accept another session. It closes the socket.",
    why: "All sessions are in use, or the server is shutting down. At the limit, the frame contains it.",
    fix: "Close sessions that you no longer need, or raise `--sessions`.",
  },
  FACTORY_ERROR: {
    what: "The environment could not start an episode. The server closes the socket.",
    why: "The reset exceeded the time limit.",
    fix: "Connect again. The cause is in the server's log.",
  },
  SESSION_ERROR: {
    what: "The session is closed. The server closes the socket.",
    why: "The session was idle for too long, another socket controls it, or the server is shutting down.",
    fix: "Connect again and reset.",
  },
} as const satisfies Record<string, ErrorEntry>;
