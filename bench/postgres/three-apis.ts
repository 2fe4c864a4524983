import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { stakingTotal } from '../../data/contract/paths.ts';
import { indexDatabase } from '../../data/store/open-stores.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import { IDENTITY, openGrowingIndex } from '../api/growing-index.ts';
import { type PortalProcess, startPortalApi } from '../api/server-process.ts';
import { fillingBatches, finishFilling, type Growth, growthOf } from '../growth/filled-index.ts';
import { median } from '../growth/flatness.ts';
import { type LoadGenerator, loadGenerator } from '../load.ts';
import { environmentOf, settingsOf } from './schema-settings.ts';
import { measureStreams } from './stream-delay.ts';

/** The minimum rate of cached answers with PostgreSQL, as a share of the rate with SQLite. */
const MIN_CACHED_SHARE = 0.95;
const ROUNDS = 7;
const ROUND_SECONDS = 2;
const API_COUNT = 3;
/** Limits (ms) for the p99 of the time from a commit until the last API has sent the change to its streams. */
const STREAM_LIMITS_MS = { notified: 250, polling: 700 };
/** A stream delay over its limit is measured again at most this many times, because other work can cause a delay. */
const MAX_RETRIES = 2;
const SCHEMA = 'three_apis';
const FILLING_OPTIONS = {
  events: 1_000,
  identity: IDENTITY,
  newestSlot: 300_000_000,
  lastSignatureOf: (account: string) => account.repeat(2),
};
const CHAIN_ENV = {
  SOLANA_RPC_URLS: 'http://127.0.0.1:9',
  BD_MINT: IDENTITY.mint,
  BD_VAULT: IDENTITY.vault,
  BD_STAKE_POOL: IDENTITY.stakePool,
};

async function fillIndex(writer: IndexWriter): Promise<Growth> {
  await writer.claim(IDENTITY);
  for (const { batch } of fillingBatches(FILLING_OPTIONS)) await writer.commitEvents(batch);
  await finishFilling(writer, FILLING_OPTIONS);
  return growthOf(writer, FILLING_OPTIONS);
}

async function answersPerSecond(generate: LoadGenerator, { origin }: PortalProcess): Promise<number> {
  const { perSecond, failed } = await generate(origin + stakingTotal, ROUND_SECONDS);
  if (failed > 0) throw new Error(`${failed} requests for ${stakingTotal} failed.`);
  return perSecond;
}

async function benchCachedAnswers(sqlite: PortalProcess, postgres: PortalProcess): Promise<boolean> {
  const { name, generate } = await loadGenerator();
  const ratios: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const onSqlite = await answersPerSecond(generate, sqlite);
    const ratio = (await answersPerSecond(generate, postgres)) / onSqlite;
    // The first round is a warm-up.
    if (round > 0) ratios.push(ratio);
  }
  const share = median(ratios);
  console.log(
    `cached answers (${name}): ${share.toFixed(2)} of SQLite (at least ${MIN_CACHED_SHARE}); ` +
      `rounds ${ratios.map((one) => one.toFixed(2)).join(', ')}`,
  );
  return share >= MIN_CACHED_SHARE;
}

/** Measures several APIs on one database: the rate of their cached answers, and how soon they send a change. */
export async function benchThreeApis(socketFolder: string, folder: string): Promise<boolean> {
  const running: PortalProcess[] = [];
  const start = async (env: Readonly<Record<string, string>>) => {
    const api = await startPortalApi({ DATA_DIR: await mkdtemp(join(folder, 'api-')), ...CHAIN_ENV, ...env });
    running.push(api);
    return api;
  };
  const end = async () => {
    for (const api of running.splice(0)) await api.end();
  };
  const writer = await indexDatabase(settingsOf(socketFolder, SCHEMA)).openWriter(1);
  const sqliteIndex = await openGrowingIndex(await mkdtemp(join(folder, 'sqlite-')));
  const limitsMet: boolean[] = [];
  try {
    const growth = await fillIndex(writer);
    const sqlite = await start(sqliteIndex.env);
    limitsMet.push(await benchCachedAnswers(sqlite, await start(environmentOf(socketFolder, SCHEMA))));
    await end();
    for (const mode of ['notified', 'polling'] as const) {
      const env = environmentOf(socketFolder, SCHEMA, mode === 'notified');
      const apis = await Promise.all(Array.from({ length: API_COUNT }, () => start(env)));
      let { medianMs, p99Ms } = await measureStreams(apis, growth);
      for (let retry = 0; retry < MAX_RETRIES && p99Ms > STREAM_LIMITS_MS[mode]; retry += 1) {
        ({ medianMs, p99Ms } = await measureStreams(apis, growth));
      }
      console.log(
        `from a commit to the last of ${API_COUNT} streams, ${mode}: p99 ${p99Ms.toFixed(0)} ms (at most ${STREAM_LIMITS_MS[mode]}), ` +
          `median ${medianMs.toFixed(0)} ms`,
      );
      limitsMet.push(p99Ms <= STREAM_LIMITS_MS[mode]);
      await end();
    }
  } finally {
    await end();
    await writer.close();
    await sqliteIndex.close();
  }
  return limitsMet.every(Boolean);
}
