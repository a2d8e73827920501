import { type HubProcess, startHub } from "../support/hub/process.ts";
import { logIn } from "../support/hub/publishing.ts";
import { startDatabaseProxy } from "./database-proxy.ts";
import { HubClients } from "./hub-clients.ts";
import { mountSmallDisk } from "./small-disk.ts";
import type { Soak } from "./soak.ts";

const diskMebibytes = 512;
/** The number of the newest acknowledged versions that are read again after each fault. */
const recentVersions = 20;
const variables = {
  HUB_REGISTRATION: "open",
  HUB_LIMITS: "off",
  HUB_PUBLISHES_PER_HOUR: "1000000",
  HUB_PACKAGES_PER_WEEK: "1000000",
};

/** The pace of the faults, in seconds. */
export interface FaultPace {
  /** The seconds between the end of a fault and the next one. Default 30. */
  readonly between?: number;
  /** The seconds that a disk stays full, or a database unreachable. Default 8. */
  readonly length?: number;
}

/** The responses and failures that clients of the hub counted. */
export interface HubReport extends Pick<HubClients, "statuses" | "reads" | "hangs"> {
  /** Versions whose publish the hub answered with 201. */
  readonly acknowledged: number;
  /** Acknowledged versions that the hub does not have at the end. */
  readonly lost: readonly string[];
  /** Injected faults, with their counts. */
  readonly faults: Readonly<Record<string, number>>;
}

/** Publishes to and reads from a hub until the soak ends, while it is killed, its disk fills and its database is unreachable. */
export async function soakHub(
  soak: Soak,
  databaseUrl: string,
  { between = 30, length = 8 }: FaultPace = {},
): Promise<HubReport> {
  await using proxy = await startDatabaseProxy(databaseUrl);
  await using disk = await mountSmallDisk(diskMebibytes);
  const start = (): Promise<HubProcess> =>
    startHub({ data: `${disk.path}/data`, variables: { ...variables, DATABASE_URL: proxy.url } });
  let hub = await start();
  soak.measureMemory("hub", () => hub.child.pid);
  const { token } = await logIn(hub.url, "ada");
  const clients = new HubClients(soak, () => hub.url, token);

  const faults: Readonly<Record<string, () => Promise<void>>> = {
    kill: async () => {
      await hub.kill();
      hub = await start();
    },
    "unreachable database": async () => {
      proxy.disconnect();
      await soak.wait(length);
      proxy.reconnect();
    },
    ...(disk.isSmall && {
      "full disk": async () => {
        await disk.fill();
        await soak.wait(length);
        await disk.free();
      },
    }),
  };
  const kinds = Object.keys(faults);
  const counts: Record<string, number> = Object.fromEntries(kinds.map((kind) => [kind, 0]));
  soak.continueUntil(
    () => clients.acknowledged.length > 10 && Object.values(counts).every((count) => count > 0),
  );
  const injectFaults = async (): Promise<void> => {
    for (let index = 0; await soak.wait(between); index += 1) {
      const kind = kinds[index % kinds.length]!;
      counts[kind]! += 1;
      await faults[kind]!();
      for (const release of clients.acknowledged.slice(-recentVersions))
        await clients.check(release);
    }
  };
  await Promise.all([
    ...Array.from({ length: 3 }, (_, index) => clients.publish(index)),
    ...Array.from({ length: 3 }, (_, index) => clients.read(index)),
    ...Array.from({ length: 4 }, () => clients.sendSlowly()),
    injectFaults(),
  ]);

  const lost: string[] = [];
  for (const release of clients.acknowledged)
    if ((await clients.check(release)) !== true) lost.push(`${release.name}@${release.version}`);
  const { acknowledged, statuses, reads, hangs } = clients;
  await hub[Symbol.asyncDispose]();
  return { acknowledged: acknowledged.length, lost, reads, statuses, faults: counts, hangs };
}
