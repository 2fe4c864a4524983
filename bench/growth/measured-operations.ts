import type { Agent } from 'node:http';
import { dirname } from 'node:path';
import { listen } from '../../api/listen.ts';
import { FIGURES } from '../../api/metrics/figures.ts';
import { createPortal, type Portal } from '../../api/server.ts';
import { testDependencies } from '../../api/testing/test-portal.ts';
import { createHeldTokensReader } from '../../api/verification/held-tokens.ts';
import { createStakedTokensReader } from '../../api/verification/staked-tokens.ts';
import { createLogger } from '../../data/runtime/log.ts';
import { openAppStore, openIndexReader } from '../../data/store/open-stores.ts';
import type { IndexReader } from '../../data/store/ports.ts';
import { sendCall } from '../http-call.ts';
import { type OpenFilledIndex, walletOf } from './filled-index.ts';
import type { MeasuredOperation } from './flatness.ts';

export interface OpenedPortal {
  readonly portal: Portal;
  readonly port: number;
  readonly reader: IndexReader;
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;

export async function openPortal({ file }: OpenFilledIndex): Promise<OpenedPortal> {
  const reader = await openIndexReader(file);
  const store = await openAppStore(`${file}.app.db`);
  let elapsed = 0;
  const portal = createPortal({
    ...testDependencies(Date.now),
    reader,
    store,
    uploadFolder: dirname(file),
    log: createLogger('bench', 'warn'),
    // Each refresh is an hour after the previous one, so it rebuilds everything that changed.
    monotonicNow: () => {
      elapsed += 3_600_000;
      return elapsed;
    },
    walletReaders: { staked: createStakedTokensReader([]), held: createHeldTokensReader([]) },
  });
  await portal.refresh();
  const port = await listen(portal.server, '127.0.0.1', 0);
  return {
    portal,
    port,
    reader,
    async close() {
      await portal.close();
      await reader.close();
      await store.close();
    },
  };
}

export function createCallOperations(portals: readonly OpenedPortal[], agent: Agent): MeasuredOperation[] {
  const paths = [
    ...FIGURES.map(({ call }) => call.path),
    '/api/history?series=vault&range=7d',
    '/api/history?series=stakers&range=all',
  ];
  // The call for the network health would fail: it needs a report from an indexer, but none is running.
  const measuredPaths = paths.filter((path) => path !== '/api/network/health');
  return measuredPaths.map((path) => ({
    name: `GET ${path}`,
    work: portals.map(
      ({ port }) =>
        () =>
          sendCall(agent, port, { path }),
    ),
    repetitions: 20,
  }));
}

export function createRefreshOperation(
  portals: readonly OpenedPortal[],
  indexes: readonly OpenFilledIndex[],
): MeasuredOperation {
  return {
    name: 'refresh after a commit',
    preparations: indexes.map((index) => () => index.commitNext()),
    work: portals.map(
      ({ portal }) =>
        () =>
          portal.refresh(),
    ),
    repetitions: 1,
  };
}

export function createIndexReadOperations(
  portals: readonly OpenedPortal[],
  indexes: readonly OpenFilledIndex[],
  vault: string,
): MeasuredOperation[] {
  const now = Date.now();
  const reads: readonly (readonly [string, (reader: IndexReader) => Promise<unknown>])[] = [
    ['dataVersion', (reader) => reader.dataVersion()],
    ['latestSnapshot(50)', (reader) => reader.latestSnapshot(50)],
    ['vaultMovements(a day)', (reader) => reader.vaultMovements(now - DAY_MS)],
    [
      'vaultBalanceAt(four moments)',
      (reader) => reader.vaultBalanceAt([6, 12, 18, 24].map((hours) => now - hours * (DAY_MS / 24))),
    ],
    ['stakes(100)', (reader) => reader.stakes(100)],
    // Even in the shortest history, the wallet has ten events.
    ['walletEvents(10)', (reader) => reader.walletEvents(walletOf(1), 10, null)],
    ['history(vault, hour, a week)', (reader) => reader.history('vault', 'hour', now - 7 * DAY_MS)],
    ['statistics', (reader) => reader.statistics()],
  ];
  return [
    ...reads.map(([name, read]) => ({
      name,
      work: portals.map(
        ({ reader }) =>
          () =>
            read(reader),
      ),
      repetitions: 20,
    })),
    {
      name: 'eventSums',
      work: indexes.map(
        ({ writer }) =>
          () =>
            writer.eventSums(vault, Number.MAX_SAFE_INTEGER),
      ),
      repetitions: 20,
    },
  ];
}
