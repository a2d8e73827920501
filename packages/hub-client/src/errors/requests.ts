import type { HubErrorEntry } from "./hub-error.ts";

/** Errors of any HTTP request. */
export const requestErrors = {
  "invalid-address": {
    status: 400,
    what: "The URL cannot be decoded.",
    why: "It contains an invalid percent escape (RFC 3986).",
    fix: "Encode each part of the URL with `encodeURIComponent`.",
  },
  "address-too-long": {
    status: 414,
    what: "A part of the URL is too long.",
    why: "It is longer than any package name, version or id can be.",
    fix: "Check the name in the command or the URL.",
  },
  "invalid-request": {
    status: 400,
    what: "The request does not match the route's schema.",
    why: "A header, a parameter or a body field is missing or has the wrong type; or the bytes are not HTTP/1.1 (400), the headers are too large (431), or the request arrived too slowly (408).",
    fix: "Correct the fields that the message lists. The schemas are in `@envs/hub-client`.",
  },
  "range-not-satisfiable": {
    status: 416,
    what: "The requested range begins after the end of the tarball.",
    why: "The client resumes a download of another tarball, or of one that is complete.",
    fix: "Delete the incomplete file and download the whole tarball.",
  },
  "invalid-body": {
    status: 400,
    what: "The request body cannot be read.",
    why: "It is not JSON, it ends early, or it does not match its `content-encoding`.",
    fix: "Send the request again. If it fails again, send the body uncompressed.",
  },
  "invalid-text": {
    status: 400,
    what: "A text in the request contains a NUL character.",
    why: "PostgreSQL cannot store NUL in a text or in JSON.",
    fix: "Remove the character and send the request again.",
  },
  "unknown-encoding": {
    status: 415,
    what: "The `content-encoding` of the body is not supported.",
    why: "The hub reads gzip, deflate, br and uncompressed bodies.",
    fix: "Send the body in one of these encodings.",
  },
  "body-too-large": {
    status: 413,
    what: "The body exceeds the size limit after decompression.",
    why: "The hub limits the bytes of every body that it parses.",
    fix: "Send less at once. For an audit, audit the packages of a workspace one by one.",
  },
  "too-many-values": {
    status: 413,
    what: "The JSON body contains too many values.",
    why: "The hub limits the number of values that it parses in one request.",
    fix: "Split the request into smaller ones.",
  },
  "not-found": {
    status: 404,
    what: "The route, package, version, user or other resource does not exist, or is private.",
    why: "Private packages are reported as missing, so that their names stay secret.",
    fix: "Check the spelling. If the package is private, log in with an account that may read it.",
  },
  "method-not-allowed": {
    status: 405,
    what: "The route does not support this HTTP method.",
    why: "The `allow` header lists the supported methods.",
    fix: "Use a supported method, or update the client.",
  },
  forbidden: {
    status: 403,
    what: "The account lacks the permission for this action.",
    why: "The message names the required role or permission.",
    fix: "Ask an owner of the package or organisation, or an administrator of the hub, for it.",
  },
  "too-many-requests": {
    status: 429,
    what: "The client exceeded a rate limit.",
    why: "The hub limits requests per minute and IP address.",
    fix: "Wait for the seconds in the `retry-after` header, then retry.",
  },
  "audit-too-large": {
    status: 413,
    what: "The audit covers too many packages or versions.",
    why: "The hub limits the size of one audit.",
    fix: "Audit the packages of the workspace one by one.",
  },
  "invalid-period": {
    status: 400,
    what: "The period of a download count is not valid.",
    why: "It is not a named period, a day or two days with a colon between, or it is too long.",
    fix: "Write `last-week`, `2026-02-03` or `2026-02-01:2026-02-28`, within the limits in the message.",
  },
  "not-ready": {
    status: 503,
    what: "The hub cannot serve requests yet, or is shutting down.",
    why: "Its database or its blob store does not respond, or migrations are running.",
    fix: "Retry after the seconds in the `retry-after` header. The operator finds the cause in the hub's log.",
  },
  "database-unavailable": {
    status: 503,
    what: "The hub cannot reach its database.",
    why: "PostgreSQL is stopped, restarting, overloaded or unreachable. A change that was in progress may have taken effect.",
    fix: "Retry after the seconds in the `retry-after` header. The operator checks `DATABASE_URL` and the server.",
  },
  "tarball-damaged": {
    status: 500,
    what: "The hub's copy of a tarball is corrupt or missing.",
    why: "Its disk or object store changed or lost the bytes. The hub does not serve them; it moved a corrupt tarball to quarantine.",
    fix: "Send the message to the hub's operator, who runs `envs-hub verify --repair-from <another hub>`.",
  },
  "disk-full": {
    status: 507,
    what: "The hub has no space left for the change.",
    why: "The disk of its data folder, or of its database, is full or nearly full. Packages can still be installed.",
    fix: "Ask the operator of the hub to free space: `envs-hub sweep` deletes unreferenced blobs. Then retry.",
  },
  internal: {
    status: 500,
    what: "The hub failed because of a defect.",
    why: "The server logged the error under the request id that the message contains.",
    fix: "Send the request id to the hub's operator.",
  },
} as const satisfies Record<string, HubErrorEntry>;
