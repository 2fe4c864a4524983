// @module-tag slow
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { median, quantile } from '../growth/flatness.ts';
import { floodEachCall } from './floods.ts';
import { type KilledPortal, killWhileSubmitting } from './kills.ts';
import { verifySubmissions } from './verify-submissions.ts';

// `npm run test:attack` sets these variables. `npm test` includes a small run.
const KILLS = Number(process.env.ATTACK_KILLS ?? 2);
const SUBMISSIONS = Number(process.env.ATTACK_SUBMISSIONS ?? KILLS * 10);
const KILL_SECONDS = Number(process.env.ATTACK_KILL_SECONDS ?? 60);
/**
 * How many portals are killed in parallel: one more than there are processors, because a portal that waits uses no CPU time.
 * At most six, and at most half the number of kills, rounded up.
 */
const PORTALS = Number(
  process.env.ATTACK_PORTALS ?? Math.min(6, availableParallelism() + 1, Math.ceil(KILLS / 2)),
);

/** How long each flood lasts (ms). In the small run of `npm test`, each call gets only one flood, which is one request. */
const FLOOD_MS = Number(process.env.ATTACK_FLOOD_MS ?? 0);
const IS_FULL_RUN = process.env.ATTACK_FLOOD_MS !== undefined;
/**
 * The limit (ms) for the 99th percentile of a visitor's read times for a cached figure. The small run has no limit, because
 * other tests run at the same time.
 */
const P99_LIMIT_MS = Number(process.env.ATTACK_P99_MS ?? Number.POSITIVE_INFINITY);
/** The portal must close connections with slow headers or bodies within this many seconds. */
const SLOW_LIMIT_SECONDS = 60;

/** Maximum memory of the API's process in MiB. No limit unless `npm run test:attack` sets one. */
const MEMORY_LIMIT_MIB = Number(process.env.ATTACK_MEMORY_MIB ?? Number.POSITIVE_INFINITY);

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attack-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const splitByPortal = (total: number) =>
  Array.from(
    { length: PORTALS },
    (_, index) => Math.floor((total * (index + 1)) / PORTALS) - Math.floor((total * index) / PORTALS),
  );

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

const ADDRESSES = Number(process.env.ATTACK_ADDRESSES ?? 1);
/** There are fewer slow uploads, because each takes a megabyte of the upload space that normal uploads also need. */
const slowClientCounts = { headers: ADDRESSES * 12, body: ADDRESSES * 12, upload: ADDRESSES * 4 };

describe('a portal that is flooded, with slow clients connected', () => {
  it('responds according to its contract, and still serves a visitor and accepts a normal submission', {
    // The small run has a long timeout, because other work may slow down the machine.
    timeout: IS_FULL_RUN ? 240_000 + FLOOD_MS * 500 : 600_000,
  }, async () => {
    const startedAt = performance.now();
    const { floods, visitor, endedCounts, normalStatus, isAlive, peakMemory, exitCode, stderr } =
      await floodEachCall({
        folder: await mkdtemp(join(folder, 'flooded-')),
        milliseconds: FLOOD_MS,
        addresses: ADDRESSES,
        connectionsPerAddress: IS_FULL_RUN ? 4 : 1,
        hasEveryKind: IS_FULL_RUN,
        nicenessIncrease: IS_FULL_RUN ? 10 : 0,
        slowClients: slowClientCounts,
      });
    const seconds = (performance.now() - startedAt) / 1_000;
    const answerCounts = new Map<string, number>();
    for (const { report } of floods) {
      for (const [answer, count] of Object.entries(report.answers)) {
        answerCounts.set(answer, (answerCounts.get(answer) ?? 0) + count);
      }
    }
    const latenciesMs = visitor.flatMap((second) => second.latenciesMs);
    const p99Ms = quantile(latenciesMs, 0.99);
    const worstSeconds = visitor
      .toSorted((one, other) => Math.max(...other.latenciesMs) - Math.max(...one.latenciesMs))
      .slice(0, 5)
      .map(({ startedAt, latenciesMs }) => {
        const runningFlood = floods.filter((flood) => flood.startedAt <= startedAt + 1_000).at(-1);
        return `${Math.max(...latenciesMs).toFixed(0)} ms during ${runningFlood?.call.path} ${runningFlood?.flood}`;
      });
    console.log(
      `${floods.length} floods with ${sum([...answerCounts.values()]).toLocaleString('en')} requests in ${seconds.toFixed(0)} s\n` +
        `  ${[...answerCounts]
          .toSorted(([, one], [, other]) => other - one)
          .map(([answer, count]) => `${count} × ${answer}`)
          .join(', ')}\n` +
        `slow clients ended: ${Object.entries(endedCounts)
          .map(([kind, count]) => `${count} ${kind}`)
          .join(', ')}\n` +
        `a visitor's figure: ${latenciesMs.length} reads, median ${median(latenciesMs).toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms; limit of the p99 ${P99_LIMIT_MS} ms\n` +
        `  slowest seconds: ${worstSeconds.join(', ')}\n` +
        `memory of the API: ${peakMemory?.toFixed(0)} MiB at most; limit ${MEMORY_LIMIT_MIB}`,
    );
    expect(
      floods.flatMap(({ call, flood, unexpected }) =>
        unexpected.map((answer) => `${call.path} ${flood}: ${answer}`),
      ),
    ).toEqual([]);
    expect({
      normalStatus,
      isAlive,
      failed: sum(visitor.map(({ failed }) => failed)),
      exitCode,
      stderr,
    }).toEqual({
      normalStatus: 200,
      isAlive: true,
      failed: 0,
      exitCode: 0,
      stderr: '',
    });
    expect(peakMemory ?? 0).toBeLessThanOrEqual(MEMORY_LIMIT_MIB);
    expect(p99Ms).toBeLessThanOrEqual(P99_LIMIT_MS);
    if (seconds > SLOW_LIMIT_SECONDS) {
      expect(endedCounts.headers).toBeGreaterThanOrEqual(slowClientCounts.headers);
      expect(endedCounts.body).toBeGreaterThanOrEqual(slowClientCounts.body);
      expect(endedCounts.upload).toBeGreaterThanOrEqual(slowClientCounts.upload);
    }
  });
});

// `npm test` covers killed programs in api/delivery/delivery-kills.test.ts, and killed portals in bench/postgres/kills.test.ts.
describe.skipIf(!IS_FULL_RUN)('a portal that is killed repeatedly while documents are uploaded', () => {
  it(`loses nothing that it acknowledged, and repeats only deliveries with an attempt logged as unknown (${KILLS} kills, ${SUBMISSIONS} submissions)`, {
    timeout: (KILL_SECONDS + 300) * 1_000,
  }, async () => {
    const startedAt = performance.now();
    const until = startedAt + KILL_SECONDS * 1_000;
    const submissions = splitByPortal(SUBMISSIONS);
    const specs = await Promise.all(
      splitByPortal(KILLS).map(async (kills, index) => ({
        folder: await mkdtemp(join(folder, 'killed-')),
        kills,
        submissions: submissions[index] ?? 0,
        until,
      })),
    );
    const killedPortals = await Promise.all(specs.map(killWhileSubmitting));
    const seconds = (performance.now() - startedAt) / 1_000;
    const totalOf = (figure: (portal: KilledPortal) => number) => sum(killedPortals.map(figure));
    const verdicts = await Promise.all(
      killedPortals.map((portal, index) => verifySubmissions(specs[index]?.folder ?? '', portal)),
    );
    const peakMib = Math.max(...killedPortals.map(({ peakMemory }) => peakMemory ?? 0));
    console.log(
      `${totalOf(({ kills }) => kills)} kills, ${totalOf(({ killsWhileStarting }) => killsWhileStarting)} of them during startup, in ${seconds.toFixed(0)} s on ${PORTALS} portals\n` +
        `a start took ${median(killedPortals.flatMap(({ startTimesMs }) => startTimesMs)).toFixed(0)} ms (median)\n` +
        `${totalOf(({ acknowledged }) => acknowledged.size)} submissions acknowledged, ${totalOf(({ mails }) => sum([...mails.values()]))} emails arrived, ${sum(verdicts.map(({ duplicates }) => duplicates))} of them duplicates; ${sum(verdicts.map(({ unknownDeliveries }) => unknownDeliveries))} deliveries had an unknown attempt\n` +
        `memory of the API: ${peakMib.toFixed(0)} MiB at most; limit ${MEMORY_LIMIT_MIB}`,
    );
    expect(verdicts.flatMap(({ problems }) => problems)).toEqual([]);
    expect(killedPortals.flatMap(({ refusals }) => refusals)).toEqual([]);
    expect(killedPortals.map(({ exitCode }) => exitCode)).toEqual(killedPortals.map(() => 0));
    expect(totalOf(({ acknowledged }) => acknowledged.size)).toBe(SUBMISSIONS);
    expect(peakMib).toBeLessThanOrEqual(MEMORY_LIMIT_MIB);
    expect(totalOf(({ kills }) => kills)).toBe(KILLS);
  });
});
