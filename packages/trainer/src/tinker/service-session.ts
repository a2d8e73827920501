import { session } from "./responses.ts";
import type { ServiceClient } from "./service-client.ts";
import { ServiceError } from "./service-error.ts";

/** A client's session on a service, which heartbeats keep alive until it is closed. */
export class ServiceSession {
  readonly id: string;
  readonly #service: ServiceClient;
  #heartbeat: ReturnType<typeof setInterval> | undefined;

  private constructor(service: ServiceClient, id: string) {
    this.id = id;
    this.#service = service;
  }

  static async open(service: ServiceClient, heartbeatMs = 10_000): Promise<ServiceSession> {
    const { session_id: id, error_message: message } = await service.request({
      route: "create_session",
      body: {
        type: "create_session",
        tags: ["envs"],
        user_metadata: { client: "@envs/trainer" },
        // The version of the SDK whose requests this client sends, the first with protobuf.
        sdk_version: "0.25.0",
      },
      response: session,
    });
    if (message) throw new ServiceError(`The service did not open a session: ${message}`);
    const opened = new ServiceSession(service, id);
    // Sends a heartbeat at once: without one, SkyRL never expires the session of a killed client, nor frees its adapter.
    await opened.#sendHeartbeat();
    opened.#heartbeat = setInterval(() => void opened.#sendHeartbeat(), heartbeatMs);
    // Browsers return a number, which has no unref().
    if (typeof opened.#heartbeat === "object") opened.#heartbeat.unref();
    return opened;
  }

  /** Sends no more heartbeats: the service ends the session. */
  close(): void {
    clearInterval(this.#heartbeat);
  }

  async #sendHeartbeat(): Promise<void> {
    await this.#service.notify({
      route: "session_heartbeat",
      body: { type: "session_heartbeat", session_id: this.id },
    });
  }
}
