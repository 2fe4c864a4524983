// @module-tag slow
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type PostgresServer, startPostgres } from '../../data/store/testing/postgres-server.ts';
import { withDatabase } from '../../data/store/testing/postgres-stores.ts';
import { type FailoverAddress, startFailoverAddress } from './failover-address.ts';
import { type KillsPortal, SCHEMA, startKillsPortal } from './kills-portal.ts';
import { runKills } from './kills-schedule.ts';
import { finishAndCompare } from './kills-verdict.ts';

/** Set KILLS_SEED to the printed seed to repeat the same schedule. */
const SEED = Number(process.env.KILLS_SEED ?? Date.now() % 1_000_000);
/**
 * These tests run only with `npm run test:postgres`, because `kills.test.ts` also kills the primary and so covers most of the
 * same cases.
 */
const IS_POSTGRES_TEST_RUN = process.env.POSTGRES_KILLS !== undefined;
const SEEDS = Array.from({ length: 5 }, (_, run) => SEED + run);
const TIMEOUT_MS = 300_000;
const MESSAGE_COUNT = 90;

const toStop: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of toStop.splice(0).reverse()) await one.stop();
}, TIMEOUT_MS);

/** Starts a primary and its standby. The primary acknowledges a commit only once the standby has it. */
async function startPair(): Promise<{ readonly primary: PostgresServer; readonly standby: PostgresServer }> {
  const primary = await startPostgres('18', { durable: true });
  toStop.push(primary);
  await primary.end('SIGINT');
  const standby = primary.createStandby();
  toStop.push(standby);
  await primary.start(['synchronous_standby_names=standby']);
  await standby.start();
  return { primary, standby };
}

const rowsOf = <Row extends object>({ socketFolder }: PostgresServer, text: string) =>
  withDatabase(SCHEMA, (db) => db.all({ ...db.statement<Row>(text), name: undefined }), {
    host: socketFolder,
  });

const walReceiversOf = (server: PostgresServer) => rowsOf(server, 'select pid from pg_stat_wal_receiver');
/** Server processes that wait for the standby to confirm a commit. */
const waitingCommitsOf = (server: PostgresServer) =>
  rowsOf(server, "select pid from pg_stat_activity where wait_event = 'SyncRep'");

describe.runIf(IS_POSTGRES_TEST_RUN)(
  'a primary that is killed and replaced by its synchronous standby',
  () => {
    it.each(SEEDS)(
      'loses no acknowledged message and no event, and repeats only deliveries logged as unknown (seed %i)',
      { timeout: TIMEOUT_MS },
      async (seed) => {
        const { primary, standby } = await startPair();
        const address: FailoverAddress = await startFailoverAddress(primary.socketFolder);
        toStop.push({ stop: address.close });
        let folder = primary.socketFolder;
        const portal: KillsPortal = await startKillsPortal(
          {
            directServer: () => ({ host: folder, port: null }),
            variables: (user) => ({ DATABASE_URL: `postgres://${user}@127.0.0.1:${address.port}/postgres` }),
          },
          seed,
        );
        toStop.push({ stop: portal.close });
        await runKills(portal, {
          kinds: ['kill the primary', 'kill a replica'],
          kills: 2,
          seed,
          messagesPerKill: MESSAGE_COUNT / 3,
          expiredShare: 1,
          async breakPrimary(signal) {
            // From now on the standby receives nothing. A commit that the primary acknowledged now would be lost.
            await rowsOf(standby, "alter system set primary_conninfo = ''");
            await rowsOf(standby, 'select pg_reload_conf()');
            await vi.waitUntil(async () => (await walReceiversOf(standby)).length === 0, { timeout: 60_000 });
            portal.clients.allow(MESSAGE_COUNT);
            await vi.waitUntil(async () => (await waitingCommitsOf(primary)).length > 0, { timeout: 60_000 });
            await primary.end(signal);
            await rowsOf(standby, 'select pg_promote()');
            folder = standby.socketFolder;
            address.moveTo(folder);
          },
        });
        const { problems, exitCodes, ...figures } = await finishAndCompare(portal);
        console.log(`failover, seed ${seed}: ${JSON.stringify(figures)}`);
        expect(problems).toEqual([]);
        expect(exitCodes).toEqual([0, 0, 0, 0]);
        expect(figures.messages).toBe(MESSAGE_COUNT);
      },
    );
  },
);
