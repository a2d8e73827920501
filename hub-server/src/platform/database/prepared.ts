import { parse, type PGlite, protocol, type Results } from "@electric-sql/pglite";
import { LRUCache } from "lru-cache";

const { serialize } = protocol;

/** A prepared statement. */
interface Prepared {
  readonly name: string;
  readonly parameterTypes: readonly number[];
  /** The message with the columns of its rows, which PostgreSQL would otherwise send with each execution; empty without rows. */
  readonly columns: Messages;
}

type Messages = Awaited<ReturnType<typeof send>>;

/** The maximum number of prepared statements, more than the hub uses frequently. */
const maxStatements = 500;
/** Plans are made for the current size of the tables, so they expire. */
const planTtlMs = 60_000;

/**
 * Returns a query function that parses and plans each statement once. PGlite's own `query` does so at every call, which
 * takes several times longer than the execution.
 */
export function preparedQuery(
  database: PGlite,
): (sql: string, parameters: readonly unknown[]) => Promise<Results> {
  let count = 0;
  const closing: Uint8Array[] = [];
  const statements = new LRUCache<string, Prepared>({
    max: maxStatements,
    ttl: planTtlMs,
    dispose: ({ name }) => void closing.push(serialize.close({ type: "S", name })),
  });

  const prepare = async (sql: string): Promise<Prepared> => {
    const name = `statement_${(count += 1)}`;
    const messages = await send(database, [
      ...closing.splice(0),
      serialize.parse({ name, text: sql }),
      serialize.describe({ type: "S", name }),
    ]);
    const prepared = {
      name,
      parameterTypes: parse.parseDescribeStatementResults(messages),
      columns: messages.filter((message) => message.name === "rowDescription"),
    };
    statements.set(sql, prepared);
    return prepared;
  };

  return (sql, parameters) =>
    database.runExclusive(async () => {
      const { name, parameterTypes, columns } = statements.get(sql) ?? (await prepare(sql));
      const values = parameters.map((value, index) => text(value, parameterTypes[index]));
      const messages = await send(database, [
        serialize.bind({ statement: name, values }),
        serialize.execute({}),
      ]);
      const [results] = parse.parseResults([...columns, ...messages], database.parsers);
      if (results === undefined) throw new Error(`The database returned no result for: ${sql}`);
      return results;
    });

  function text(value: unknown, type = 0): string | null {
    if (value === null || value === undefined) return null;
    const write = database.serializers[type] ?? String;
    return write(value);
  }
}

/** Appends a Sync message, after which the database is ready for queries even if one of the messages failed. */
async function send(database: PGlite, messages: readonly Uint8Array[]) {
  const message = Buffer.concat([...messages, serialize.sync()]);
  // Neither of the file systems has anything to copy: PostgreSQL writes to the disk itself.
  const response = await database.execProtocol(message, { syncToFs: false });
  return response.messages;
}
