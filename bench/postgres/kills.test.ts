// @module-tag slow
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../../data/store/testing/postgres-server.ts';
import { type DatabaseAccess, PROGRAMS, startKillsPortal } from './kills-portal.ts';
import { KILL_KINDS, runKills } from './kills-schedule.ts';
import { finishAndCompare } from './kills-verdict.ts';
import { startPgbouncer } from './pgbouncer.ts';

/** Set KILLS_SEED to the printed seed to repeat the same schedule. */
const SEED = Number(process.env.KILLS_SEED ?? Date.now() % 1_000_000);
/**
 * The number of kills and suspensions: one of each kind by default, more with `npm run test:postgres`. That command also
 * runs the test through a pooler.
 */
const KILL_COUNT = Number(process.env.POSTGRES_KILLS ?? KILL_KINDS.length);
const IS_POSTGRES_TEST_RUN = process.env.POSTGRES_KILLS !== undefined;
const TIMEOUT_MS = 300_000 + KILL_COUNT * 20_000;
const MESSAGES_PER_KILL = IS_POSTGRES_TEST_RUN ? 10 : 5;

const toClose: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of toClose.splice(0).reverse()) await one.close();
});

const socketUrl = (user: string, folder: string) =>
  `postgres://${user}@localhost/postgres?host=${encodeURIComponent(folder)}`;

async function killRepeatedly(
  name: string,
  server: PostgresServer,
  variables: DatabaseAccess['variables'],
): Promise<void> {
  const startedAt = performance.now();
  const directServer = () => ({ host: server.socketFolder, port: null });
  const portal = await startKillsPortal({ directServer, variables }, SEED);
  toClose.push(portal);
  const counts = await runKills(portal, {
    kinds: KILL_KINDS,
    kills: KILL_COUNT,
    seed: SEED,
    messagesPerKill: MESSAGES_PER_KILL,
    expiredShare: IS_POSTGRES_TEST_RUN ? 0.9 : 1,
    async breakPrimary(signal, downMs) {
      await server.end(signal);
      await pause(downMs);
      await server.start();
    },
  });
  const { problems, exitCodes, ...figures } = await finishAndCompare(portal);
  console.log(
    `${name}, seed ${SEED}: ${JSON.stringify({ ...counts, ...figures, retries: portal.clients.retries(), seconds: Math.round((performance.now() - startedAt) / 1_000) })}`,
  );
  expect(problems).toEqual([]);
  expect(exitCodes).toEqual([0, 0, 0, 0]);
  expect(figures.messages).toBe(KILL_COUNT * MESSAGES_PER_KILL);
}

describe('replicas and indexers that are killed or suspended, on a database that is killed', () => {
  const rule =
    'index each event once, lose no acknowledged message, and repeat only deliveries logged as unknown';

  const startServer = async (): Promise<PostgresServer> => {
    const server = await startPostgres('18', { durable: true });
    toClose.push({ close: () => server.stop() });
    return server;
  };

  it(`${rule} (seed ${SEED})`, { timeout: TIMEOUT_MS }, async () => {
    const server = await startServer();
    await killRepeatedly('directly', server, (user) => ({
      DATABASE_URL: socketUrl(user, server.socketFolder),
    }));
  });

  if (IS_POSTGRES_TEST_RUN) {
    it(`${rule}, also through a pooler (seed ${SEED})`, { timeout: TIMEOUT_MS }, async () => {
      const server = await startServer();
      const pooler = await startPgbouncer(server.socketFolder, PROGRAMS);
      toClose.push(pooler);
      await killRepeatedly('through PgBouncer', server, (user) => ({
        DATABASE_URL: `${socketUrl(user, pooler.socketFolder)}&pgbouncer=true`,
        DATABASE_LISTEN_URL: socketUrl(user, server.socketFolder),
      }));
    });
  }
});
