import { parse, type PGlite, protocol, type Results } from "@electric-sql/pglite";
import { LRUCache } from "lru-cache";

const { serialize } = protocol;

/** A statement that the database has parsed. */
interface Prepared {
  readonly name: string;
  readonly parameterTypes: readonly number[];
}

/** Enough for everything that a hub asks often. */
const most = 500;
/** Plans are made for the tables as they are: what suits ten rows does not suit ten thousand. */
const plannedFor = 60_000;

/**
 * Asks an embedded database through statements that it parses and plans once. Its own `query` does so each time, which
 * takes several times longer than the answer does.
 */
export function preparedQuery(
  database: PGlite,
): (sql: string, parameters: readonly unknown[]) => Promise<Results> {
  let count = 0;
  const closing: Uint8Array[] = [];
  const statements = new LRUCache<string, Prepared>({
    max: most,
    ttl: plannedFor,
    dispose: ({ name }) => void closing.push(serialize.close({ type: "S", name })),
  });

  const prepare = async (sql: string): Promise<Prepared> => {
    const name = `statement_${(count += 1)}`;
    const messages = await send(database, [
      ...closing.splice(0),
      serialize.parse({ name, text: sql }),
      serialize.describe({ type: "S", name }),
    ]);
    const prepared = { name, parameterTypes: parse.parseDescribeStatementResults(messages) };
    statements.set(sql, prepared);
    return prepared;
  };

  return (sql, parameters) =>
    database.runExclusive(async () => {
      const { name, parameterTypes } = statements.get(sql) ?? (await prepare(sql));
      const values = parameters.map((value, index) => text(value, parameterTypes[index]));
      const messages = await send(database, [
        serialize.bind({ statement: name, values }),
        serialize.describe({ type: "P" }),
        serialize.execute({}),
      ]);
      const [results] = parse.parseResults(messages, database.parsers);
      if (results === undefined) throw new Error(`The database has not answered: ${sql}`);
      return results;
    });

  function text(value: unknown, type = 0): string | null {
    if (value === null || value === undefined) return null;
    const write = database.serializers[type] ?? String;
    return write(value);
  }
}

/** Up to a sync, after which the database is ready again also if it refused something. */
async function send(database: PGlite, messages: readonly Uint8Array[]) {
  const message = Buffer.concat([...messages, serialize.sync()]);
  const answered = await database.execProtocol(message);
  return answered.messages;
}
