import { describe, expect, it } from 'vitest';
import { ALERT_CODES, ALERT_LIMITS, type AlertCode } from '../../data/model/alerts.ts';
import { FRESHNESS, MAX_HISTORY_LAG_MS, MAX_SLOT_DISTANCE } from '../../data/model/value-state.ts';
import type { WebhookState } from '../../data/model/webhooks.ts';
import type { AuditRecord } from '../../data/store/audit-port.ts';
import { TEST_FEED } from '../../data/store/testing/sample-top-ups.ts';
import type { UsdtFeed } from '../../data/store/top-up-port.ts';
import { noFigureInputs } from '../metrics/figure.ts';
import { SAMPLE_INDEX } from '../testing/fake-index.ts';
import { ALERT_CONDITIONS, type AlertSources } from './alert-conditions.ts';
import { createFailedSignInCounter } from './failed-sign-ins.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const HOUR_MS = 3_600_000;
const chain = SAMPLE_INDEX.chain ?? expect.fail('The sample has no snapshot.');
const quote = SAMPLE_INDEX.quote ?? expect.fail('The sample has no quote.');
const endpoint = {
  name: 'rpc.example',
  active: true,
  state: 'active',
  latencyMs: 1,
  slot: chain.slot,
  slotLag: 0,
  requestCount: 1,
  errorCount: 0,
  creditsPerDay: null,
  lastError: null,
} as const;
const INDEX = {
  ...SAMPLE_INDEX,
  chain: { ...chain, readAt: NOW },
  quote: { ...quote, readAt: NOW },
  endpoints: [endpoint],
  endpointsReportedAt: NOW,
  isHistoryCaughtUp: true,
  historyReadAt: NOW - MAX_HISTORY_LAG_MS,
  reconciliation: { slot: 1, at: NOW, differences: [] },
};
const pool = { max: 10, open: 1, idle: 1, waiting: 0 };
const REPLICA_STATUS = {
  runsJobs: true,
  isNotified: true,
  indexerFence: 1,
  versionLag: 0,
  pools: { app: pool, index: pool },
};

const DAY_MS = 24 * HOUR_MS;
const BACKUP = {
  newestAt: NOW - DAY_MS - ALERT_LIMITS.lateBackupMs,
  longestGapMs: DAY_MS,
  copy: { newestAt: NOW - DAY_MS - ALERT_LIMITS.lateCopyMs },
};

const webhooksIn = (...states: readonly WebhookState[]): AlertSources['webhooks'] => ({
  endpoints: async () =>
    states.map((state) => ({
      ...{ id: state, url: `https://${state}.example/hook`, state, types: [], createdAt: NOW },
      ...{ secret: Buffer.from(''), oldSecret: null, oldSecretUntil: null },
      ...{ activeSince: null, failingSince: NOW },
    })),
});

function sources(
  index: Partial<typeof SAMPLE_INDEX> = {},
  changes: Partial<AlertSources> = {},
): AlertSources {
  return {
    figureInputs: () => ({ ...noFigureInputs('solana', new Set()), index: { ...INDEX, ...index } }),
    deliveries: { nextDueAt: async () => NOW - ALERT_LIMITS.overdueMs },
    webhooks: webhooksIn('active', 'paused'),
    deliveryPauses: () => new Map(),
    isMailboxOpen: () => true,
    topUps: { feed: async () => topUpFeed, unmatchedCount: async () => 0 },
    backup: () => BACKUP,
    freeDiskBytes: () => 2_000,
    diskReserveBytes: 1_000,
    countFailedSignIns: async () => ALERT_LIMITS.failedSignIns.count,
    replicaStatus: async () => REPLICA_STATUS,
    ...changes,
  };
}

const problemCodes = async (alertSources: AlertSources) =>
  (
    await Promise.all(
      ALERT_CODES.map(async (code) => [code, await ALERT_CONDITIONS[code](alertSources, NOW)] as const),
    )
  ).flatMap(([code, problem]) => (typeof problem === 'string' ? [code] : []));

const staleReadAt = (kind: 'chain' | 'market') => NOW - FRESHNESS[kind].limitMs - 1;
const topUpFeed = { ...TEST_FEED, readAt: NOW - ALERT_LIMITS.finalBlockAgeMs };
const topUpSources = (changes: Partial<UsdtFeed> = {}, unmatched = 0): Partial<AlertSources> => ({
  topUps: { feed: async () => ({ ...topUpFeed, ...changes }), unmatchedCount: async () => unmatched },
});
const difference = { what: 'vault.balance', onChain: 1n, indexed: 2n };

describe('the alert conditions', () => {
  it('find no problem while every value is at its limit', async () => {
    expect(await problemCodes(sources())).toEqual([]);
  });

  it('find no problem if the histories keep up with the accounts, even while the host’s clock is behind', async () => {
    const chainOnSlowHost = { ...INDEX.chain, clockDifference: -HOUR_MS };
    expect(await problemCodes(sources({ chain: chainOnSlowHost, historyReadAt: NOW - HOUR_MS }))).toEqual([]);
  });

  it.each<[AlertCode, AlertSources]>([
    ['figures-stale', sources({ chain: { ...INDEX.chain, readAt: staleReadAt('chain') } })],
    ['figures-stale', sources({ chain: null })],
    ['index-behind', sources({ endpoints: [{ ...endpoint, slot: chain.slot + MAX_SLOT_DISTANCE + 1 }] })],
    ['history-incomplete', sources({ isHistoryCaughtUp: false })],
    ['history-incomplete', sources({ historyReadAt: NOW - MAX_HISTORY_LAG_MS - 1 })],
    ['figures-disagree', sources({ reconciliation: { slot: 1, at: NOW, differences: [difference] } })],
    ['no-endpoint', sources({ endpoints: [{ ...endpoint, active: false }] })],
    ['quote-stale', sources({ quote: { ...INDEX.quote, readAt: staleReadAt('market') } })],
    ['mailbox-unreachable', sources({}, { isMailboxOpen: () => false })],
    ['top-ups-behind', sources({}, topUpSources({ readAt: topUpFeed.readAt - 1 }))],
    ['top-ups-behind', sources({}, { topUps: { feed: async () => null, unmatchedCount: async () => 0 } })],
    ['top-ups-disagree', sources({}, topUpSources({ difference: -1n }))],
    ['top-ups-unmatched', sources({}, topUpSources({}, 1))],
    ['webhook-disabled', sources({}, { webhooks: webhooksIn('active', 'disabled') })],
    ['backup-old', sources({}, { backup: () => ({ ...BACKUP, newestAt: NOW - 27 * HOUR_MS }) })],
    ['backup-old', sources({}, { backup: () => ({ ...BACKUP, newestAt: null }) })],
    ['backup-old', sources({}, { backup: () => ({ ...BACKUP, newestAt: undefined }) })],
    ['backup-old', sources({}, { backup: () => ({ ...BACKUP, newestAt: NOW + 3 * HOUR_MS }) })],
    [
      'backup-copy-old',
      sources({}, { backup: () => ({ ...BACKUP, copy: { newestAt: NOW + 4 * HOUR_MS } }) }),
    ],
    [
      'backup-copy-old',
      sources({}, { backup: () => ({ ...BACKUP, copy: { newestAt: NOW - 28 * HOUR_MS } }) }),
    ],
    ['backup-copy-old', sources({}, { backup: () => ({ ...BACKUP, copy: { newestAt: null } }) })],
    ['disk-low', sources({}, { freeDiskBytes: () => 1_999 })],
    ['sign-in-attack', sources({}, { countFailedSignIns: async () => ALERT_LIMITS.failedSignIns.count + 1 })],
    ['replica-behind', sources({}, { replicaStatus: async () => ({ ...REPLICA_STATUS, versionLag: 1 }) })],
    [
      'database-busy',
      sources(
        {},
        {
          replicaStatus: async () => ({
            ...REPLICA_STATUS,
            pools: { app: { ...pool, waiting: 1 }, index: pool },
          }),
        },
      ),
    ],
  ])('report %s, and nothing else', async (code, alertSources) => {
    expect(await problemCodes(alertSources)).toEqual([code]);
  });

  it('report a channel that is paused or has an overdue message', async () => {
    const refused = new Map([['mail', 'refused'] as const]);
    expect(await problemCodes(sources({}, { deliveryPauses: () => refused }))).toEqual(['mail-paused']);
    const nextDueAt = async (channel: string) =>
      channel === 'mail' ? null : NOW - ALERT_LIMITS.overdueMs - 1;
    expect(await problemCodes(sources({}, { deliveries: { nextDueAt } }))).toEqual(['telegram-paused']);
  });

  it('name the hosts of disabled endpoints, but not their paths, which may contain a secret', async () => {
    const alertSources = sources({}, { webhooks: webhooksIn('active', 'disabled', 'disabled') });
    const problem = await ALERT_CONDITIONS['webhook-disabled'](alertSources, NOW);
    expect(problem?.match(/[a-z]+\.example\S*/g)).toEqual(['disabled.example']);
  });

  it('allow a weekly backup to be a week old', async () => {
    const backup = () => ({ newestAt: NOW - 8 * DAY_MS, longestGapMs: 7 * DAY_MS, copy: null });
    expect(await problemCodes(sources({}, { backup }))).toEqual(['backup-old']);
    const fresh = () => ({ ...backup(), newestAt: NOW - 7 * 24 * HOUR_MS });
    expect(await problemCodes(sources({}, { backup: fresh }))).toEqual([]);
  });

  it('report a stopped indexer only as stale figures', async () => {
    const old = { endpointsReportedAt: NOW - HOUR_MS, chain: { ...INDEX.chain, readAt: NOW - HOUR_MS } };
    expect(await problemCodes(sources({ ...old, quote: { ...INDEX.quote, readAt: NOW - HOUR_MS } }))).toEqual(
      ['figures-stale'],
    );
  });

  it('find no problem with what is not set up: backups, replicas, a disk reserve, top-ups', async () => {
    const none = {
      topUps: null,
      backup: () => null,
      replicaStatus: null,
      diskReserveBytes: 0,
      freeDiskBytes: () => 0,
    };
    expect(await problemCodes(sources({}, none))).toEqual([]);
  });
});

describe('failed sign-ins', () => {
  it('are each counted once within the window, and other audit records are not counted', async () => {
    const trail: (AuditRecord & { readonly sequence: number })[] = [];
    let reads = 0;
    const add = (action: string, at: number, times: number) => {
      for (let count = 0; count < times; count += 1) {
        const sequence = trail.length + 1;
        trail.push({ sequence, id: `${sequence}`, at, actor: 'visitor', action, details: {} });
      }
    };
    const countFailures = createFailedSignInCounter({
      auditTrail: async (limit, before = Number.MAX_SAFE_INTEGER) => {
        reads += 1;
        return trail
          .filter(({ sequence }) => sequence < before)
          .toReversed()
          .slice(0, limit);
      },
    });
    const { windowMs } = ALERT_LIMITS.failedSignIns;
    add('admin.sign-in-failed', NOW - windowMs - 1, 5);
    add('admin.sign-in-failed', NOW - windowMs, 3);
    add('card-application.received', NOW - 10, 1_200);
    add('admin.sign-in-failed', NOW - 5, 2);
    expect(await countFailures(NOW)).toBe(5);
    expect(reads).toBe(7);
    expect(await countFailures(NOW)).toBe(5);
    expect(reads).toBe(8);
    add('admin.sign-in-failed', NOW + 1, 1);
    expect(await countFailures(NOW + 1)).toBe(3);
    expect(await countFailures(NOW + 2 * windowMs)).toBe(0);
  });
});
