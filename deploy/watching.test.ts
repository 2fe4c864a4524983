// @module-tag slow
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Registry } from '@prometheus-io/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { replicaMetrics } from '../api/operations/replica-status.ts';
import { ask } from '../api/testing/portal-client.ts';
import { adminLogin } from '../data/contract/admin-session.ts';
import * as PATHS from '../data/contract/paths.ts';
import { FRESHNESS, MAX_SLOT_DISTANCE, RECONCILIATION_FRESHNESS } from '../data/model/value-state.ts';
import { spawnApi } from '../indexer/testing/processes.ts';
import { readShipped } from './testing/settings.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
}

const ALERTS = 'prometheus/alerts.yaml';
const ALERT_TESTS = 'prometheus/alerts.test.yaml';
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SHIPPED = [ALERTS, ALERT_TESTS];

const rules: readonly Rule[] = parse(readShipped(ALERTS)).groups.flatMap(
  ({ rules: ofGroup }: { readonly rules: readonly Rule[] }) => ofGroup,
);

/** What the API serves at `/metrics` after a page and a sign-in that its rate limit refused. */
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

let served = '';
/** Types by name, with those of a replica on PostgreSQL. */
let types: ReadonlyMap<string, string>;

beforeAll(async () => {
  served = await readMetrics();
  const replica = new Registry();
  replicaMetrics(replica);
  const text = served + (await replica.metrics());
  types = new Map(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
});

function isServed(name: string): boolean {
  return types.has(name) || types.get(name.replace(/_(?:bucket|sum|count)$/, '')) === 'histogram';
}

/** Names of metrics in a text. */
const namesIn = (text: string) => [...new Set(text.match(/\b(?:portal|process|nodejs)_\w+/g))];

describe('what watches the portal', () => {
  it.each(SHIPPED)('names only metrics that the portal serves: %s', (path) => {
    const names = namesIn(readShipped(path));
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !isServed(name))).toEqual([]);
  });

  it.each(SHIPPED.slice(0, 1))('selects only values that labels have: %s', (path) => {
    const matchers = new Set(readShipped(path).match(/\b(?!job|alertstate)\w+="\w[\w-]*"/g));
    expect([...matchers].filter((matcher) => !served.includes(matcher))).toEqual([]);
  });

  it('is documented with metrics that the portal serves', () => {
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
    ['PortalFiguresStale', FRESHNESS.chain.limit / 1_000],
    ['PortalQuoteStale', FRESHNESS.market.limit / 1_000],
    ['PortalReconciliationOverdue', RECONCILIATION_FRESHNESS.limit / 1_000],
    ['PortalIndexBehind', MAX_SLOT_DISTANCE],
  ])('%s has the threshold of the portal', (name, threshold) => {
    const rule = rules.find(({ alert }) => alert === name);
    expect(Number(/> (\d+)/.exec(rule?.expr ?? '')?.[1])).toBe(threshold);
  });
});
