// @module-tag slow
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Registry } from '@prometheus-io/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { registerTopUpMetrics } from '../api/cards/top-ups/start-top-ups.ts';
import { inboundMetrics } from '../api/conversation/inbound-metrics.ts';
import { replicaMetrics } from '../api/operations/replica-status.ts';
import { ask } from '../api/testing/portal-client.ts';
import { STORAGE_VARIABLES } from '../data/config/storage-variables.ts';
import { adminLogin } from '../data/contract/admin-session.ts';
import * as PATHS from '../data/contract/paths.ts';
import { ALERT_CODES, ALERT_LIMITS, ALERTS } from '../data/model/alerts.ts';
import { FRESHNESS, MAX_SLOT_DISTANCE, RECONCILIATION_FRESHNESS } from '../data/model/value-state.ts';
import { longestGap } from '../data/runtime/schedule.ts';
import { TEST_FEED } from '../data/store/testing/sample-top-ups.ts';
import { spawnApi } from '../indexer/testing/processes.ts';
import { readPanels } from './testing/board.ts';
import { readShipped } from './testing/settings.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
}

const RULES = 'prometheus/alerts.yaml';
const ALERT_TESTS = 'prometheus/alerts.test.yaml';
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BOARD = 'grafana/portal.json';

const rules: readonly Rule[] = parse(readShipped(RULES)).groups.flatMap(
  ({ rules: ofGroup }: { readonly rules: readonly Rule[] }) => ofGroup,
);

/** Reads `/metrics` after a page request and two sign-in attempts, the second of which the rate limit refused. */
async function readMetrics(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'watching-'));
  const { ready, child, ended } = spawnApi({ DATA_DIR: folder, RATE_LIMITS: 'admin-logins=1' });
  try {
    const port = Number((await ready).details.port);
    await ask(port, '/');
    const headers = { 'Content-Type': 'application/json' };
    for (let count = 0; count < 2; count += 1)
      await ask(port, adminLogin.path, { method: 'POST', headers, body: '{}' });
    return (await ask(port, PATHS.prometheus)).body;
  } finally {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true });
  }
}

/** The response of `/metrics`, plus the metrics that this portal lacks: those for replicas, incoming email and top-ups. */
let metricsText = '';
let metricTypes: ReadonlyMap<string, string>;

beforeAll(async () => {
  const replica = new Registry();
  const pool = { max: 10, open: 1, idle: 1, waiting: 0 };
  const pools = { app: pool, index: pool };
  replicaMetrics(replica)({ runsJobs: true, isNotified: true, indexerFence: 1, versionLag: 0, pools });
  inboundMetrics(replica, { mailbox: {} });
  const topUps = { feed: async () => TEST_FEED, unmatchedCount: async () => 0 };
  registerTopUpMetrics(replica, { topUps, feed: TEST_FEED.id, now: Date.now });
  metricsText = (await readMetrics()) + (await replica.metrics());
  metricTypes = new Map(
    [...metricsText.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
});

function isServed(name: string): boolean {
  return metricTypes.has(name) || metricTypes.get(name.replace(/_(?:bucket|sum|count)$/, '')) === 'histogram';
}

const namesIn = (text: string) => [...new Set(text.match(/\b(?:portal|process|nodejs)_\w+/g))];

describe('the monitoring of the portal', () => {
  it.each([RULES, ALERT_TESTS, BOARD])('names only metrics that the portal serves: %s', (path) => {
    const names = namesIn(readShipped(path));
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !isServed(name))).toEqual([]);
  });

  it.each([RULES, BOARD])('selects only label values that the portal serves: %s', (path) => {
    const matchers = new Set(
      readShipped(path)
        .replaceAll('\\"', '"')
        .match(/\b(?!job=)\w+="\w[\w-]*"/g),
    );
    expect([...matchers].filter((matcher) => !metricsText.includes(matcher))).toEqual([]);
  });

  it('is documented only with metrics that the portal serves', () => {
    const docs = globSync('docs/*.md', { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8'));
    const names = namesIn(docs.join('\n'));
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !isServed(name))).toEqual([]);
  });
});

describe('the alert rules', () => {
  it('each have a unit test', () => {
    const tested = readShipped(ALERT_TESTS).match(/(?<=alertname=")\w+/g);
    expect(new Set(tested)).toEqual(new Set(rules.map(({ alert }) => alert)));
  });

  it.each([
    ['PortalFiguresStale', FRESHNESS.chain.limitMs / 1_000],
    ['PortalQuoteStale', FRESHNESS.market.limitMs / 1_000],
    ['PortalReconciliationOverdue', RECONCILIATION_FRESHNESS.limitMs / 1_000],
    ['PortalIndexBehind', MAX_SLOT_DISTANCE],
    ['PortalTopUpsBehind', ALERT_LIMITS.finalBlockAgeMs / 1_000],
  ])('have the same threshold as the portal: %s', (name, threshold) => {
    const rule = rules.find(({ alert }) => alert === name);
    expect(Number(/> (\d+)/.exec(rule?.expr ?? '')?.[1])).toBe(threshold);
  });
});

/** A duration in a rule, such as `5m`, in minutes. */
const minutesOf = (text: string | undefined) => {
  const [, count = '0', unit] = /^(\d+)([mh])$/.exec(text ?? '') ?? [];
  return Number(count) * (unit === 'h' ? 60 : 1);
};

describe('the alerts of the portal', () => {
  it.each(ALERT_CODES)('start after the same delay as their rules: %s', (code) => {
    const { rule: name, minDurationMs } = ALERTS[code];
    const rule = rules.find(({ alert }) => alert === name);
    const [, window] = /min_over_time\(\w+\[(\w+)\]\)/.exec(rule?.expr ?? '') ?? [];
    expect(rule, name).toBeDefined();
    expect(minutesOf(window) + minutesOf(rule?.for)).toBe(minDurationMs / 60_000);
  });

  it.each([
    ['PortalDeliveriesOverdue', '> (\\d+)', ALERT_LIMITS.overdueMs / 1_000],
    ['PortalBackupOld', '> (\\d+)', (24 * 3_600_000 + ALERT_LIMITS.lateBackupMs) / 1_000],
    ['PortalBackupOld', '< -(\\d+)', ALERT_LIMITS.lateBackupMs / 1_000],
    ['PortalBackupCopyOld', '> (\\d+)', (24 * 3_600_000 + ALERT_LIMITS.lateCopyMs) / 1_000],
    ['PortalBackupCopyOld', '< -(\\d+)', ALERT_LIMITS.lateCopyMs / 1_000],
    ['PortalDiskLow', '< (\\d+) \\*', ALERT_LIMITS.diskReserveFactor],
    ['PortalSignInsRefused', '> (\\d+)', ALERT_LIMITS.failedSignIns.count],
    ['PortalSignInsRefused', '\\[(\\d+)m\\]', ALERT_LIMITS.failedSignIns.windowMs / 60_000],
  ])('have the limit of the rule %s, matched by %s', (name, pattern, limit) => {
    const rule = rules.find(({ alert }) => alert === name);
    expect(Number(new RegExp(pattern).exec(rule?.expr ?? '')?.[1])).toBe(limit);
  });

  it('about backups match their rules, which assume the default daily schedule', () => {
    expect(longestGap(STORAGE_VARIABLES.BACKUP_CRON.parse(undefined))).toBe(24 * 3_600_000);
  });
});

describe('the Grafana dashboard', () => {
  it('has a query in each panel, and panels that do not overlap', () => {
    const panels = readPanels();
    const taken = new Set<string>();
    for (const { id, type, targets, gridPos } of panels) {
      expect(type === 'row' || (targets?.length ?? 0) > 0, `panel ${id}`).toBe(true);
      expect(gridPos.x + gridPos.w, `panel ${id}`).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken, `panel ${id}`).not.toContain(`${x} ${y}`);
          taken.add(`${x} ${y}`);
        }
      }
    }
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
});
