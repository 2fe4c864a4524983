// @module-tag slow
import { readFile } from 'node:fs/promises';
import { parseDocument } from 'htmlparser2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EMBEDDED_FIGURE_NAMES } from '../../data/contract/embeds.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { noFigureInputs, transactionRow } from '../metrics/figure.ts';
import { FakeIndex, TEST_START, vaultEvent } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortalChanges } from '../testing/test-portal.ts';
import { embeddedFigure, shortMomentText } from './embedded-figures.ts';
import { eventFeed } from './event-feed.ts';

/** Starts a portal on a chain that does not count as a demo. @returns the portal, and a function that requests a path */
async function start(index = new FakeIndex(), changes: TestPortalChanges = {}) {
  const portal = await startTestPortal({ index, ...changes });
  onTestFinished(() => portal.close());
  const get = (path: string, headers: Record<string, string> = {}) => ask(portal.port, path, { headers });
  return { portal, get };
}

function unreadIndex(): FakeIndex {
  const index = new FakeIndex();
  index.snapshot = { ...index.snapshot, chain: null, quote: null, isHistoryCaughtUp: false };
  return index;
}

const EMBEDS = [...EMBEDDED_FIGURE_NAMES.map(PATHS.badge), PATHS.figuresWidget];

describe('badges', () => {
  it('show a figure, and give screen readers both its value and the time when it was read', async () => {
    const { get } = await start();
    for (const [name, value] of [
      ['vault', '100.00M BD'],
      ['staked', '20.89M BD'],
      ['stakers', '8'],
      ['price', '$0.000114'],
    ] as const) {
      const { status, headers, body } = await get(PATHS.badge(name));
      expect([name, status, headers['content-type']]).toEqual([name, 200, 'image/svg+xml; charset=utf-8']);
      parseDocument(body, { xmlMode: true });
      expect(body).toContain(`>${value}</text>`);
      const [, title = ''] = /<title>(.*)<\/title>/.exec(body) ?? [];
      expect(title).toContain(`: ${value} (`);
      expect(title).toContain('1 Jan, 00:00 UTC');
      expect(body).toContain(`aria-label="${title}"`);
    }
  });

  it('say that a figure is unknown until it is read, and never show 0', async () => {
    const { get } = await start(unreadIndex());
    for (const name of EMBEDDED_FIGURE_NAMES) {
      const { status, body } = await get(PATHS.badge(name));
      expect(status, name).toBe(200);
      expect(body, name).toContain('>unknown</text>');
      expect(body, name).not.toMatch(/>\$?0/);
    }
  });

  it('mark a figure that is stale or made up', async () => {
    const { portal, get } = await start();
    const noteOf = async (name: 'vault' | 'price') =>
      /\(([^)]*)\)<\/title>/.exec((await get(PATHS.badge(name))).body)?.[1];
    expect(await noteOf('vault')).toBe('1 Jan, 00:00 UTC');
    // The price of the test's index comes from the feed `demo`.
    expect(await noteOf('price')).toBe('demo · 1 Jan, 00:00 UTC');
    await portal.pollAt(TEST_START + 3_600_000);
    expect(await noteOf('vault')).toBe('stale · 1 Jan, 00:00 UTC');
    expect(await noteOf('price')).toBe('demo, stale · 1 Jan, 00:00 UTC');
    const demo = { ...noFigureInputs('embedded-ledger', new Set()), index: new FakeIndex().snapshot };
    expect(embeddedFigure('vault', demo, TEST_START).caveat).toBe('demo');
  });

  it('have the colors of the requested theme, or else follow the reader’s system', async () => {
    const { get } = await start();
    const styleOf = async (query: string) => (await get(PATHS.badge('vault') + query)).body;
    expect(await styleOf('?theme=dark')).not.toMatch(/#ffffff|prefers-color-scheme/);
    expect(await styleOf('?theme=light')).not.toMatch(/#131519|prefers-color-scheme/);
    expect(await styleOf('')).toMatch(/#ffffff.*prefers-color-scheme:dark.*#131519/s);
    expect(await styleOf('?theme=%3Cscript%3E')).toBe(await styleOf(''));
  });

  it('have the same colors as the site', async () => {
    const { get } = await start();
    const tokens = await readFile('site/styles/tokens.css', 'utf8');
    for (const [index, theme] of ['light', 'dark'].entries()) {
      const { body } = await get(`${PATHS.badge('vault')}?theme=${theme}`);
      const declared = [...(/:root\{([^}]*)\}/.exec(body)?.[1] ?? '').matchAll(/--(\w+):([^;]+)/g)];
      expect(declared.length).toBeGreaterThan(3);
      for (const [, name = '', value] of declared) {
        const token = new RegExp(`--${name}: light-dark\\((.*), (.*)\\);`).exec(tokens) ?? [];
        expect(value, `${name} of ${theme}`).toBe(token[index + 1]);
      }
    }
  });

  it('write times in UTC', () => {
    expect(shortMomentText(new Date('2026-11-26T23:05:59Z'))).toBe('26 Nov, 23:05 UTC');
  });
});

describe('the widget', () => {
  it('shows every figure with the time when it was read, or only the figures that the URL names', async () => {
    const { get } = await start();
    const { body } = await get(PATHS.figuresWidget);
    expect(body.match(/<dt>/g)).toHaveLength(4);
    expect(body.match(/<time datetime="2026-01-01T00:00:00.000Z">/g)).toHaveLength(4);
    const chosen = (await get(`${PATHS.figuresWidget}?figures=price,staked,%3Cb%3E`)).body;
    expect([...chosen.matchAll(/<dt>([^<]*)/g)].map(([, label]) => label)).toEqual(['BD staked', 'BD price']);
    expect((await get(`${PATHS.figuresWidget}?figures=none`)).body).toBe(body);
  });

  it('says which figures are unknown', async () => {
    const { get } = await start(unreadIndex());
    const { status, body } = await get(PATHS.figuresWidget);
    expect(status).toBe(200);
    expect(body.match(/<dd>unknown<\/dd>/g)).toHaveLength(4);
  });

  it('loads no other resources, sets no cookies, and is at most 10 kB', async () => {
    const { get } = await start();
    const { headers, body } = await get(PATHS.figuresWidget);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(10_000);
    expect(body).not.toMatch(/\b(?:src|srcset|@import|url\()/);
    expect(headers['set-cookie']).toBeUndefined();
  });
});

describe('the headers of embeds', () => {
  it('let other origins frame the widget and nothing else', async () => {
    const { get } = await start();
    const others = [
      '/',
      '/embed',
      '/embed/other',
      '/badge',
      PATHS.badge('vault'),
      PATHS.eventFeed,
      PATHS.openApi,
    ];
    for (const path of others) {
      const { headers } = await get(path);
      expect(headers['content-security-policy'], path).toContain("frame-ancestors 'none'");
      expect(headers['x-frame-options'], path).toBe('DENY');
    }
    for (const path of [PATHS.figuresWidget, `${PATHS.figuresWidget}?theme=dark`]) {
      const { headers } = await get(path);
      const policy = headers['content-security-policy'];
      expect(policy).toMatch(/frame-ancestors \*(;|$)/);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toMatch(/script-src 'sha256-[^']+'(;|$)/);
      expect(headers['x-frame-options']).toBeUndefined();
    }
  });

  it('let other sites load badges and the widget, and let pages on any origin read the feed', async () => {
    const { get } = await start();
    for (const path of EMBEDS)
      expect((await get(path)).headers['cross-origin-resource-policy'], path).toBe('cross-origin');
    expect((await get('/')).headers['cross-origin-resource-policy']).toBe('same-origin');
    for (const path of [PATHS.eventFeed, ...PATHS.clientFiles])
      expect((await get(path)).headers['access-control-allow-origin'], path).toBe('*');
    expect((await get('/developers')).headers['access-control-allow-origin']).toBeUndefined();
  });

  it('let caches keep an answer for a minute and revalidate it with its ETag', async () => {
    const { portal, get } = await start();
    for (const path of [...EMBEDS, PATHS.eventFeed]) {
      const { headers } = await get(path);
      expect(headers['cache-control'], path).toBe('public, max-age=60');
      const repeated = await get(path, { 'If-None-Match': headers.etag ?? '' });
      expect([repeated.status, repeated.body], path).toEqual([304, '']);
      expect(repeated.headers.etag, path).toBe(headers.etag);
    }
    const before = (await get(PATHS.badge('vault'))).headers.etag;
    await portal.pollAt(TEST_START + 3_600_000);
    expect((await get(PATHS.badge('vault'))).headers.etag).not.toBe(before);
    expect((await ask(portal.port, PATHS.badge('vault'), { method: 'POST' })).status).toBe(405);
  });
});

describe('the JSON Feed of chain events', () => {
  const finalStatus = { status: 'finalized' as const };

  it('has an item for each final transaction, newest first, with its signature as id and its date in UTC', async () => {
    const index = new FakeIndex();
    const deposit = vaultEvent(3, { ...finalStatus, delta: 5_000_001n });
    index.snapshot = {
      ...index.snapshot,
      recentEvents: [
        vaultEvent(4),
        { ...deposit, account: index.snapshot.identity?.poolVault ?? '', kind: 'unstake', position: 1 },
        deposit,
        vaultEvent(1, { ...finalStatus, kind: 'withdraw', blockTime: null }),
      ],
    };
    const { get } = await start(index, { publicOrigin: 'https://portal.example.com' });
    const { status, headers, body } = await get(PATHS.eventFeed);
    expect([status, headers['content-type']]).toEqual([200, 'application/feed+json; charset=utf-8']);
    const feed = JSON.parse(body);
    expect(feed).toMatchObject({
      version: 'https://jsonfeed.org/version/1.1',
      home_page_url: 'https://portal.example.com/',
      feed_url: `https://portal.example.com${PATHS.eventFeed}`,
    });
    expect(feed.items.map(({ id }: { id: string }) => id)).toEqual([
      deposit.signature,
      vaultEvent(1).signature,
    ]);
    expect(feed.items[0]).toMatchObject({
      date_published: new Date(TEST_START + 3_000).toISOString(),
      content_text: 'Unstake: 5.000001 BD (stake pool)\nDeposit: 5.000001 BD (vault)',
      tags: ['unstake', 'deposit'],
    });
    expect(feed.items[0]._movements).toHaveLength(2);
    expect(feed.items[1]).not.toHaveProperty('date_published');
  });

  it('leaves out transactions whose movements may be cut off at the end of a full list', async () => {
    const index = new FakeIndex();
    const pool = index.snapshot.identity?.poolVault ?? '';
    const events = Array.from({ length: 48 }, (_, eventOrder) => vaultEvent(100 - eventOrder, finalStatus));
    // Two transactions in one slot, each with a movement of the vault and one of the pool. The list ends within the second
    // transaction.
    const first = vaultEvent(1, { ...finalStatus, position: 1 });
    const second = { ...vaultEvent(2, finalStatus), slot: first.slot };
    const feedOf = async (recentEvents: typeof events) => {
      index.snapshot = { ...index.snapshot, recentEvents };
      const { get } = await start(index);
      return JSON.parse((await get(PATHS.eventFeed)).body).items.map(({ id }: { id: string }) => id);
    };
    const ids = events.map(({ signature }) => signature);
    expect(await feedOf([...events, first, { ...second, account: pool }])).toEqual(ids);
    expect(await feedOf([...events.slice(1), first, second])).toEqual([
      ...ids.slice(1),
      first.signature,
      second.signature,
    ]);
  });

  it('marks made-up events, and no others, as a demo', () => {
    const origins = { site: 'https://portal.example.com', api: 'https://portal.example.com' };
    const { snapshot } = new FakeIndex();
    const rows = [vaultEvent(1, finalStatus)].map((event) =>
      transactionRow(event, snapshot.identity ?? expect.unreachable()),
    );
    const demo = eventFeed(rows, { ...origins, source: 'embedded-ledger' });
    expect([demo.title, demo.items[0]?.tags]).toEqual([
      expect.stringContaining('(demo)'),
      ['deposit', 'demo'],
    ]);
    const real = eventFeed(rows, { ...origins, source: 'solana' });
    expect([real.title, real.items[0]?.tags]).toEqual([expect.not.stringContaining('demo'), ['deposit']]);
  });

  it('has its age in headers, even in a 304, and keeps its ETag as it ages', async () => {
    const { portal, get } = await start();
    const { headers } = await get(PATHS.eventFeed);
    expect(headers['x-figure-state']).toBe('live');
    await portal.pollAt(TEST_START + 3_600_000);
    const later = await get(PATHS.eventFeed, { 'If-None-Match': headers.etag ?? '' });
    expect([later.status, later.headers['x-figure-state']]).toEqual([304, 'stale']);
    expect(later.headers['x-figure-as-of']).toBe(headers['x-figure-as-of']);
  });

  it('is unavailable, rather than empty, until the history is read', async () => {
    const { get } = await start(unreadIndex());
    const { status, headers, body } = await get(PATHS.eventFeed);
    expect([status, JSON.parse(body).code]).toEqual([503, 'history-not-read-yet']);
    expect(headers['retry-after']).toBeDefined();
  });
});
