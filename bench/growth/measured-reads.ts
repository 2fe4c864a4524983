import { randomBytes } from 'node:crypto';
import { type Agent, get } from 'node:http';
import { createSandboxIssuer } from '../../api/cards/sandbox-issuer.ts';
import { ChainReads } from '../../api/chain/chain-reads.ts';
import { masterKeyOf } from '../../api/documents/master-key.ts';
import { listen } from '../../api/listen.ts';
import { FIGURES } from '../../api/metrics/figures.ts';
import { NO_SITE } from '../../api/pages/site-files.ts';
import { createPortal, type Portal } from '../../api/server.ts';
import { createHeldTokensReader } from '../../api/verification/held-tokens.ts';
import { createStakedTokensReader } from '../../api/verification/staked-tokens.ts';
import { createLogger } from '../../data/runtime/log.ts';
import type { IndexReader } from '../../data/store/ports.ts';
import { openAppStore } from '../../data/store/sqlite/app-store.ts';
import { openIndexReader } from '../../data/store/sqlite/index-reader.ts';
import { type FilledIndex, walletOf } from './filled-index.ts';
import type { Measured } from './flatness.ts';

/** A portal on one of the indexes, as it runs, but for the clock that keeps it from reading too often. */
export interface OpenedPortal {
  readonly portal: Portal;
  readonly port: number;
  readonly reader: IndexReader;
  close(): Promise<void>;
}

const NO_LIMIT = Number.MAX_SAFE_INTEGER;
const DAY = 86_400_000;

export async function openPortal({ file }: FilledIndex): Promise<OpenedPortal> {
  const reader = openIndexReader(file);
  const store = await openAppStore(`${file}.app.db`);
  let steady = 0;
  const portal = createPortal({
    reader,
    store,
    site: NO_SITE,
    log: createLogger('bench', 'warn'),
    clock: Date.now,
    // An hour goes by between two looks: each rebuilds all that changed.
    steadyClock: () => {
      steady += 3_600_000;
      return steady;
    },
    issuer: createSandboxIssuer({ now: Date.now }),
    fundingAddress: null,
    chain: 'solana',
    publicOrigin: null,
    version: 'bench',
    walletReaders: { staked: createStakedTokensReader([]), held: createHeldTokensReader([]) },
    masterKey: masterKeyOf(randomBytes(32).toString('base64')),
    stakeReads: new ChainReads([]),
    callsPerMinute: NO_LIMIT,
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

/** Asks for a path over a connection that stays open. @throws {Error} on any other status than 200 */
function request(agent: Agent, port: number, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ agent, host: '127.0.0.1', port, path }, (response) => {
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${path} answered ${response.statusCode}.`));
      });
      response.resume();
    }).on('error', reject);
  });
}

/** Every metric call over HTTP. */
export function measuredCalls(portals: readonly OpenedPortal[], agent: Agent): Measured[] {
  const paths = [
    ...FIGURES.map(({ call }) => call.path),
    '/api/history?series=vault&range=7d',
    '/api/history?series=stakers&range=all',
  ];
  // The market's and the endpoints' figures are not of the events; without a report of endpoints they have no answer.
  const asked = paths.filter((path) => path !== '/api/network/health');
  return asked.map((path) => ({
    name: `GET ${path}`,
    work: portals.map(
      ({ port }) =>
        () =>
          request(agent, port, path),
    ),
    times: 20,
  }));
}

/** The look at an index in which vault and stakes have just changed, and its rebuilt answers. */
export function measuredRebuild(portals: readonly OpenedPortal[], indexes: readonly FilledIndex[]): Measured {
  return {
    name: 'refresh after a commit',
    before: indexes.map((index) => () => index.commitMore()),
    work: portals.map(
      ({ portal }) =>
        () =>
          portal.refresh(),
    ),
    times: 1,
  };
}

/** Every port of the reader, and the sums that the writer answers. */
export function measuredPorts(
  portals: readonly OpenedPortal[],
  indexes: readonly FilledIndex[],
  vault: string,
): Measured[] {
  const now = Date.now();
  const reads: readonly (readonly [string, (reader: IndexReader) => Promise<unknown>])[] = [
    ['dataVersion', (reader) => reader.dataVersion()],
    ['latestSnapshot(50)', (reader) => reader.latestSnapshot(50)],
    ['vaultMovements(a day)', (reader) => reader.vaultMovements(now - DAY)],
    [
      'vaultBalanceAt(four moments)',
      (reader) => reader.vaultBalanceAt([6, 12, 18, 24].map((hours) => now - hours * (DAY / 24))),
    ],
    ['stakes(100)', (reader) => reader.stakes(100)],
    // No more than the wallet has at the shortest length: the same number of rows is read at each.
    ['walletEvents(10)', (reader) => reader.walletEvents(walletOf(1), 10, null)],
    ['history(vault, hour, a week)', (reader) => reader.history('vault', 'hour', now - 7 * DAY)],
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
      times: 20,
    })),
    {
      name: 'eventSums',
      work: indexes.map(
        ({ writer }) =>
          () =>
            writer.eventSums(vault, Number.MAX_SAFE_INTEGER),
      ),
      times: 20,
    },
  ];
}
