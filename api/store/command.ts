import '../../data/runtime/node-version.ts';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareDataDir, readConfig } from '../../data/config/read-config.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { runMain } from '../../data/runtime/shutdown.ts';
import type { StoreComparison, TableComparison } from '../../data/store/copy/compare-stores.ts';
import { checkStores, copyStore, STORE_KINDS, type StoreKind } from '../../data/store/copy/copy-store.ts';
import { storeOrExit } from '../store-or-exit.ts';
import { whileStopped } from './while-stopped.ts';

const USAGE = `Usage: npm run store -- <command> [options]

  copy   --from <sqlite|postgres>   copies all of the portal's data to the other store, which must be empty
  check                             compares both stores, without writing

SQLite is app.db in DATA_DIR, PostgreSQL is DATABASE_URL with DATABASE_SCHEMA. Stop the portal first. To continue an
interrupted copy, run the command again.`;

function usageError(message: string): StartError {
  return new StartError(`${message}\n\n${USAGE}`, EXIT.usage);
}

function readArguments(args: readonly string[]) {
  try {
    const options = { from: { type: 'string' }, help: { type: 'boolean', default: false } } as const;
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    if (positionals.length > 1) throw usageError(`"${positionals[1]}" is an unexpected argument.`);
    return { command: positionals[0], ...values };
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw usageError(error instanceof Error ? error.message : String(error));
  }
}

const isStoreKind = (text: string | undefined): text is StoreKind =>
  STORE_KINDS.some((kind) => kind === text);

const print = (text: string): void => void process.stdout.write(`${text}\n`);

function printTable({ table, rowCounts: [first, second], isEqual }: TableComparison): void {
  const rows = first === second ? `${first}` : `${first} and ${second}`;
  print(`${table.padEnd(24)}${`${rows} rows`.padEnd(24)}${isEqual ? 'equal' : 'DIFFERENT'}`);
}

/** Prints the comparison and sets the exit code: 0 if both stores are equal, otherwise 1. */
function printResult({ tables, trails, isEqual }: StoreComparison): void {
  for (const { records, head, broken } of trails) {
    const state = broken === null ? 'valid' : `changed at record ${broken.sequence}`;
    print(`Audit trail: ${records} records, ${state}, head ${head ?? 'none'}`);
  }
  const different = tables.filter((table) => !table.isEqual).map(({ table }) => table);
  print(
    isEqual ? 'The stores are identical.' : `The stores differ in: ${different.join(', ') || 'audit trail'}.`,
  );
  process.exitCode = isEqual ? EXIT.ok : EXIT.failure;
}

async function readLocations() {
  const { database, dataDir } = readConfig();
  if (database === null) {
    throw new StartError(
      'DATABASE_URL is not set. Set it to the URL of the PostgreSQL database.',
      EXIT.configuration,
    );
  }
  return { dataDir: resolve(dataDir), settings: database.main };
}

async function copy(from: StoreKind): Promise<void> {
  const { dataDir, settings } = await readLocations();
  const file = join(await prepareDataDir(dataDir), 'app.db');
  let currentTable = '';
  const comparison = await storeOrExit(() =>
    whileStopped(settings, (signal) =>
      copyStore(
        from,
        { file, settings },
        {
          onRows(table) {
            signal.throwIfAborted();
            if (table !== currentTable) print(`Copying ${table}`);
            currentTable = table;
          },
          onTable(table) {
            signal.throwIfAborted();
            printTable(table);
          },
        },
      ),
    ),
  );
  printResult(comparison);
  if (!comparison.isEqual) {
    print('Do not use the copy. Delete it, then copy again.');
    return;
  }
  const withOrWithout = from === 'sqlite' ? 'with' : 'without';
  print(
    `Start the portal ${withOrWithout} DATABASE_URL. The indexer then builds a new index from the chain. The price history starts over.`,
  );
}

async function main(): Promise<void> {
  const { command, from, help } = readArguments(process.argv.slice(2));
  if (help) return print(USAGE);
  if (command === 'copy') {
    if (!isStoreKind(from)) throw usageError(`--from must be ${STORE_KINDS.join(' or ')}.`);
    return copy(from);
  }
  if (command !== 'check') throw usageError('The command must be copy or check.');
  if (from !== undefined) throw usageError('--from is only for copy.');
  const { dataDir, settings } = await readLocations();
  printResult(await storeOrExit(() => checkStores({ file: join(dataDir, 'app.db'), settings }, printTable)));
}

await runMain('store', main);
