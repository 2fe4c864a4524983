import { EventEmitter } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startBotApiPeer } from '../../api/delivery/testing/bot-api-peer.ts';
import { deliverySettings } from '../../api/delivery/testing/delivery-settings.ts';
import type { DatabaseSettings } from '../../data/model/database-settings.ts';
import { withDatabase } from '../../data/store/testing/postgres-stores.ts';
import { SLOT_MILLISECONDS } from '../../indexer/ledger/chain.ts';
import { type SeededRandom, seededRandom } from '../../indexer/ledger/seeded-random.ts';
import { createTraffic } from '../../indexer/testing/crash-traffic.ts';
import { LEDGER_ADDRESS_ENV, spawnApi, spawnIndexer } from '../../indexer/testing/processes.ts';
import { startTestChain } from '../../indexer/testing/test-chain.ts';
import { NO_RATE_LIMITS } from '../attack/attacked-portal.ts';
import { startCountingSmtp } from '../attack/counting-smtp.ts';
import { startClients } from './kills-clients.ts';
import { type SupervisedProcess, type SupervisedProgram, supervise } from './supervised-program.ts';

export const SCHEMA = 'portal';
/** Indexers and replicas. Each connects as its own user, so that the database can log which one wrote. */
export const PROGRAMS = ['indexer_a', 'indexer_b', 'replica_a', 'replica_b'] as const;
/** Average milliseconds between two transactions on the chain. */
const TRANSACTION_INTERVAL_MS = 200;

export interface DatabaseAccess {
  /** The server that tests connect to directly. It changes with a failover. */
  readonly directServer: () => Pick<DatabaseSettings, 'host' | 'port'>;
  /** `DATABASE_URL` and related settings for a program that connects as this user. */
  readonly variables: (user: string) => Readonly<Record<string, string>>;
}

export type KillsPortal = Awaited<ReturnType<typeof startKillsPortal>>;

/**
 * Starts two indexers, two replicas, a chain with constant traffic, and clients that send messages. Every program that exits
 * is restarted.
 */
export async function startKillsPortal({ directServer, variables }: DatabaseAccess, seed: number) {
  const folder = await mkdtemp(join(tmpdir(), 'kills-'));
  const progress = new EventEmitter().setMaxListeners(0);
  const emitStep = () => progress.emit('step');
  const [ledger, smtp, bot] = await Promise.all([
    startTestChain({ history: true }),
    startCountingSmtp(emitStep),
    startBotApiPeer(),
  ]);
  const sql = <T>(work: Parameters<typeof withDatabase<T>>[1]) => withDatabase(SCHEMA, work, directServer());
  const run = (text: string) => sql((db) => db.run({ ...db.statement(text), name: undefined }));

  const env = {
    DATABASE_SCHEMA: SCHEMA,
    DATABASE_POOL: '4',
    ...deliverySettings(smtp.port, bot.url),
    SOLANA_RPC_URLS: ledger.url,
    RATE_LIMITS: NO_RATE_LIMITS,
    INDEXER_POLL_MS: '400',
    ...LEDGER_ADDRESS_ENV,
  };
  const programs: SupervisedProgram[] = [];
  const start = (
    name: string,
    spawnProcess: (env: Readonly<Record<string, string>>) => SupervisedProcess,
  ) => {
    const settings = { ...env, ...variables(name), DATA_DIR: join(folder, name) };
    const program = supervise(name, () => spawnProcess(settings));
    programs.push(program);
    return program;
  };
  // An indexer logs the identity of its chain when it becomes the writer.
  const startIndexer = (name: string) => start(name, (env) => spawnIndexer({ ...env, LOG_LEVEL: 'info' }));
  const isWriter = ({ current }: SupervisedProgram) => {
    const { child, stderr } = current();
    return child.exitCode === null && child.signalCode === null && stderr().includes('"genesisHash"');
  };
  const [trafficAbort, messagesAbort] = [new AbortController(), new AbortController()];
  const close = async (): Promise<void> => {
    trafficAbort.abort();
    messagesAbort.abort();
    await Promise.all(programs.map((program) => program.end('SIGKILL')));
    await Promise.all([ledger.close(), smtp.close(), bot.close()]);
    await rm(folder, { recursive: true, force: true });
  };

  async function startPrograms() {
    for (const user of PROGRAMS) await run(`create role ${user} superuser login`);
    const indexer = startIndexer(PROGRAMS[0]);
    await indexer.current().ready;
    await run('create table $.index_writers (fence bigint not null, writer text not null)');
    await run(`create function $.note_writer() returns trigger language plpgsql as $body$ begin
      insert into $.index_writers values (new.fence, session_user); return null; end $body$`);
    await run(
      'create trigger note_writer after update on $.index_state for each row execute function $.note_writer()',
    );
    const replicas = [start(PROGRAMS[2], spawnApi), start(PROGRAMS[3], spawnApi)];
    await Promise.all(replicas.map(({ current }) => current().ready));
    return { indexers: [indexer, startIndexer(PROGRAMS[1])], replicas };
  }
  const { indexers, replicas } = await startPrograms().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const ports = () => replicas.flatMap(({ port }) => port() ?? []);
  const clients = startClients(ports, seededRandom(seed + 1), emitStep, messagesAbort.signal);
  const sending = sendTraffic(seededRandom(seed + 2), trafficAbort.signal);

  async function sendTraffic(random: SeededRandom, signal: AbortSignal): Promise<void> {
    const transactions = createTraffic(ledger.chain, seededRandom(seed + 3));
    while (!signal.aborted) {
      if (random.next() < 0.4) ledger.advance(random.between(1, 3) * SLOT_MILLISECONDS);
      transactions.send();
      emitStep();
      await pause(2 * random.next() * TRANSACTION_INTERVAL_MS, undefined, { signal }).catch(() => {});
    }
  }

  return {
    ledger,
    smtp,
    bot,
    clients,
    indexers,
    replicas,
    progress,
    sql,
    run,
    direct: directServer,
    /** Whether an indexer considers itself the writer. A suspended one may have lost the lease. */
    isWriter,
    /** Stops sending transactions, then advances the chain until all of them are final. */
    async stopTraffic(): Promise<void> {
      trafficAbort.abort();
      await sending;
      ledger.advance(100 * SLOT_MILLISECONDS);
    },
    close,
  };
}
