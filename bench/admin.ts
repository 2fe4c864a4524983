import { subscribe } from 'node:diagnostics_channel';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { addAdmin, openSession } from '../api/admin/testing/team.ts';
import { TEST_START } from '../api/testing/fake-index.ts';
import { startTestPortal } from '../api/testing/test-portal.ts';
import type { ListQuery } from '../data/store/record-port.ts';
import { attemptPage } from '../data/store/sqlite/attempt-list.ts';
import { LISTED_TABLES } from '../data/store/sqlite/listed-tables.ts';
import { channelBacklogs, recordCounts } from '../data/store/sqlite/record-counts.ts';
import { listPage, statementCache } from '../data/store/sqlite/record-lists.ts';
import { addHasWords } from '../data/store/sqlite/record-words.ts';
import { APP_FILE } from '../data/store/sqlite/store-files.ts';
import { fillRecords } from './admin/filled-records.ts';

/** What the team's lists, searches and figures cost over a full store, against the same SQL run directly. */

const APPLICATIONS = 100_000;
const LIMIT_MS = 20;
/** An answer may take so many times as long as its SQL, and what a call takes beside its SQL: that of a list without rows. */
const TIMES_SQL = 2;
const ROUNDS = 100;
const WARM_UP = 5;
/** Calls before the first that is timed: a server that has just started is slower. */
const FIRST_CALLS = 500;
const NO_LIMIT = 1_000_000_000;

const print = (line: string) => process.stdout.write(`${line}\n`);

interface Asked {
  readonly name: string;
  readonly path: string;
  readonly body?: Readonly<Record<string, string>>;
  readonly direct: () => unknown;
}

const FIRST_PAGE: ListQuery = {
  limit: 10,
  sort: 'createdAt',
  order: 'desc',
  after: null,
  from: null,
  before: null,
  filters: {},
  search: null,
};

/** What so large a share of the runs took at most. */
const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;

/** Tells once how long the last answer took at the server: from the head of its request to the end of what was sent. */
function serverClock(): () => number {
  const begun = new WeakMap<object, number>();
  let took = Number.NaN;
  subscribe('http.server.request.start', (told) => {
    begun.set((told as { request: IncomingMessage }).request, performance.now());
  });
  subscribe('http.server.response.finish', (told) => {
    took = performance.now() - (begun.get((told as { request: IncomingMessage }).request) ?? Number.NaN);
  });
  return () => {
    const told = took;
    took = Number.NaN;
    return told;
  };
}

type Call = Pick<Asked, 'path' | 'body'>;

/** Asks over a connection that stays open. @throws {Error} on any other status than 200 */
function ask(agent: Agent, port: number, token: string, { path, body }: Call): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const method = body ? 'POST' : 'GET';
    const sent = httpRequest({ agent, host: '127.0.0.1', port, path, method, headers }, (response) => {
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${path} answered ${response.statusCode}.`));
      });
      response.resume();
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

interface Timings {
  /** Milliseconds of each round, shortest first. */
  readonly answers: readonly number[];
  /** Of a list without rows, less its SQL. */
  readonly bare: readonly number[];
  readonly sql: readonly number[];
}

function timeOf(work: () => unknown): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

/** Times the answer, that of a list without rows and the SQL of both in turns: each as warm, whatever the machine does. */
async function timingsOf(
  asked: Asked,
  noRows: Asked,
  answered: (call: Call) => Promise<number>,
): Promise<Timings> {
  const answers: number[] = [];
  const bare: number[] = [];
  const sql: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const answer = await answered(asked);
    const nothing = (await answered(noRows)) - timeOf(noRows.direct);
    const direct = timeOf(asked.direct);
    if (round < 0) continue;
    answers.push(answer);
    bare.push(nothing);
    sql.push(direct);
  }
  const sorted = (values: readonly number[]) => values.toSorted((one, other) => one - other);
  return { answers: sorted(answers), bare: sorted(bare), sql: sorted(sql) };
}

function everythingAsked(client: Database.Database): {
  readonly noRows: Asked;
  readonly everything: readonly Asked[];
} {
  addHasWords(client);
  const statements = statementCache(client);
  const path = '/api/admin/applications';
  const list = (query: Partial<ListQuery>) => () =>
    listPage(statements, LISTED_TABLES.applications, { ...FIRST_PAGE, ...query });
  const log = (query: Partial<ListQuery>) => () =>
    attemptPage(statements, { ...FIRST_PAGE, sort: 'attemptedAt', ...query });
  const sorts = Object.keys(LISTED_TABLES.applications.sorts).flatMap((sort) =>
    (['asc', 'desc'] as const).map((order) => ({
      name: `list by ${sort} ${order}`,
      path: `${path}?sort=${sort}&order=${order}`,
      direct: list({ sort, order }),
    })),
  );
  const searches = [
    ['a number', '123456'],
    ['a rare name', 'edsger.knuth'],
    ['names that the sort has last', 'ada'],
    ['two words', 'ada turing'],
    ['a host that most have', 'example'],
    ['a word of two letters', 'li'],
    ['what is nowhere', 'babbage'],
  ] as const;
  const noRows = {
    name: 'no rows',
    path: `${path}?from=2001-01-01&to=2001-01-01`,
    direct: list({ from: Date.parse('2001-01-01'), before: Date.parse('2001-01-02') }),
  };
  const everything: readonly Asked[] = [
    {
      name: 'stats',
      path: '/api/admin/dashboard/stats',
      direct: () => {
        recordCounts(statements, TEST_START - 7 * 86_400_000);
        channelBacklogs(statements, { dueBefore: TEST_START, deadSince: TEST_START - 86_400_000 });
      },
    },
    ...sorts,
    {
      name: 'filter by status, sorted by email',
      path: `${path}?status=approved&sort=email`,
      direct: list({ filters: { status: 'approved' }, sort: 'email' }),
    },
    {
      name: 'filter that few pass, sorted by name',
      path: `${path}?status=card-issued&tier=Raven&sort=name`,
      direct: list({ filters: { status: 'card-issued', tier: 'Raven' }, sort: 'name' }),
    },
    {
      name: 'filter by tier and days',
      path: `${path}?tier=Raven&from=2025-12-25&to=2025-12-28`,
      direct: list({
        filters: { tier: 'Raven' },
        from: Date.parse('2025-12-25'),
        before: Date.parse('2025-12-29'),
      }),
    },
    ...searches.flatMap(([what, q]) =>
      (['createdAt', 'name'] as const).map((sort) => ({
        name: `search for ${what}, by ${sort}`,
        path,
        body: { q, sort },
        direct: list({ search: q, sort }),
      })),
    ),
    { name: 'delivery log', path: '/api/admin/delivery-logs', direct: log({}) },
    {
      name: 'delivery log, failures',
      path: '/api/admin/delivery-logs?result=failure',
      direct: log({ filters: { result: 'failure' } }),
    },
    {
      name: 'delivery log, given up',
      path: '/api/admin/delivery-logs?dead=only',
      direct: log({ filters: { isDead: true } }),
    },
  ];
  return { noRows, everything };
}

/** Measures the team's calls over 100,000 applications. True where every answer is in time, and near its SQL. */
export async function benchAdmin(): Promise<boolean> {
  const portal = await startTestPortal({ callsPerMinute: NO_LIMIT, adminCallsPerMinute: NO_LIMIT });
  const agent = new Agent({ keepAlive: true });
  const begun = performance.now();
  fillRecords(portal.folder, APPLICATIONS, TEST_START);
  const filled = ((performance.now() - begun) / 1_000).toFixed(1);
  print(`filled with ${APPLICATIONS.toLocaleString('en')} applications in ${filled} s`);
  const client = new Database(join(portal.folder, 'app.db'), { readonly: true });
  try {
    client.pragma(`cache_size = -${APP_FILE.cacheKib}`);
    const id = await addAdmin(portal.store, { username: 'bench', at: TEST_START });
    const { token } = await openSession(portal.store, id, TEST_START);
    const tookAtServer = serverClock();
    const answered = async (call: Call): Promise<number> => {
      await ask(agent, portal.port, token, call);
      for (;;) {
        const took = tookAtServer();
        if (!Number.isNaN(took)) return took;
        // The client may have its answer before the server knows that it is sent.
        await setImmediate();
      }
    };
    const { noRows, everything } = everythingAsked(client);
    const [, list = noRows] = everything;
    for (let call = 0; call < FIRST_CALLS; call += 1) await answered(call % 2 === 0 ? noRows : list);
    print(
      `milliseconds at the server: median, 99 in 100 (limit ${LIMIT_MS}), what a list without rows takes beside its SQL,\n` +
        `the same SQL directly, and how many times as long the answer takes less that (limit ${TIMES_SQL})`,
    );
    let isHeld = true;
    for (const asked of everything) {
      const { answers, bare, sql } = await timingsOf(asked, noRows, answered);
      const [median, high, nothing, direct] = [
        at(answers, 0.5),
        at(answers, 0.99),
        at(bare, 0.5),
        at(sql, 0.5),
      ];
      const isGood = high <= LIMIT_MS && median <= direct * TIMES_SQL + nothing;
      isHeld = isHeld && isGood;
      const columns = [median, high, nothing, direct, Math.max(0, median - nothing) / direct]
        .map((value) => value.toFixed(2).padStart(8))
        .join('');
      print(`  ${asked.name.padEnd(54)}${columns}${isGood ? '' : '  not held'}`);
    }
    print(isHeld ? 'held' : 'not held');
    return isHeld;
  } finally {
    client.close();
    agent.destroy();
    await portal.close();
  }
}
