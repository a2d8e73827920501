/** Errors that `@envs/hub-client` raises itself, because it has no valid response of a hub. */
export const clientErrors = {
  "invalid-address": {
    what: "The URL of the hub is not valid.",
    why: "It is not an absolute `http:` or `https:` URL.",
    fix: "Write it like `http://localhost:4873`.",
  },
  unreachable: {
    what: "The hub is unreachable.",
    why: "The connection failed: the host is unknown, the port is closed, or a proxy or firewall is in between.",
    fix: "Check the URL, the network, and that the hub is running.",
  },
  unavailable: {
    what: "The hub is temporarily unavailable.",
    why: "A gateway in front of it returned a 5xx response.",
    fix: "Retry later.",
  },
  "not-a-hub": {
    what: "The server is not an environments hub.",
    why: "Its response does not have the form of the hub's API; another registry may use this URL.",
    fix: "Check the URL of the hub: `envs hub doctor`.",
  },
  "unexpected-answer": {
    what: "The hub's response does not match the client's schema.",
    why: "The hub and the client have different versions.",
    fix: "Update the client, or ask the operator to update the hub.",
  },
} as const satisfies Record<
  string,
  { readonly what: string; readonly why: string; readonly fix: string }
>;
