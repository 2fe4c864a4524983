import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { tradingMarketData, transactions, vaultLiveBalance } from '../../data/contract/metrics.ts';
import { SAMPLE_INDEX, TEST_START } from '../testing/fake-index.ts';
import { type FigureInputs, noFigureInputs } from './figure.ts';
import { FIGURES } from './figures.ts';
import { LiveSnapshot } from './live-snapshot.ts';

const BALANCE_PATH = vaultLiveBalance.path;
const MARKET_PATH = tradingMarketData.path;
const SAMPLE_INPUTS: FigureInputs = { ...noFigureInputs('solana', new Set()), index: SAMPLE_INDEX };

function newSnapshot(write: (line: string) => void = () => {}) {
  const log = pino({ level: 'error' }, { write });
  return new LiveSnapshot({ figures: FIGURES, security: { anyone: [], site: null }, log });
}

function withChain(changes: Partial<NonNullable<typeof SAMPLE_INDEX.chain>>): FigureInputs {
  return {
    ...SAMPLE_INPUTS,
    index: { ...SAMPLE_INDEX, chain: SAMPLE_INDEX.chain && { ...SAMPLE_INDEX.chain, ...changes } },
  };
}

describe('the live snapshot', () => {
  it('gets a new version only if a figure changes, although every read updates the answers', () => {
    const snapshot = newSnapshot();
    expect(snapshot.rebuild(SAMPLE_INPUTS, TEST_START)?.version).toBe(1);
    const repeatedInputs = withChain({ slot: 4_243, readAt: TEST_START + 400 });
    expect(snapshot.rebuild(repeatedInputs, TEST_START + 400)).toBeNull();
    expect(snapshot.version).toBe(1);
    expect(snapshot.answers.get(BALANCE_PATH)?.body).toContain('"slot":4243');
    const change = snapshot.rebuild(withChain({ vaultBalance: 1_000_000n }), TEST_START + 800);
    expect(change?.version).toBe(2);
    expect([...(change?.bodies.keys() ?? [])]).toContain(BALANCE_PATH);
    expect([...(change?.bodies.keys() ?? [])]).not.toContain(MARKET_PATH);
  });

  it('updates the age headers of a list at each read, without a new tag or version', () => {
    const snapshot = newSnapshot();
    const headersAt = (inputs: FigureInputs, now: number) => {
      snapshot.rebuild(inputs, now);
      const { etag, headers = [], notModifiedHeaders = [] } = snapshot.answers.get(transactions.path) ?? {};
      const figureHeaders = (list: readonly string[]) =>
        ['X-Figure-State', 'X-Figure-As-Of', 'X-Figure-Slot'].map((name) => list[list.indexOf(name) + 1]);
      expect(figureHeaders(notModifiedHeaders)).toEqual(figureHeaders(headers));
      return { etag, headers: figureHeaders(headers) };
    };
    const first = headersAt(SAMPLE_INPUTS, TEST_START);
    const { version } = snapshot;
    const laterInputs = withChain({ slot: 4_300, readAt: TEST_START + 2_000 });
    const second = headersAt(laterInputs, TEST_START + 2_000);
    expect([first.headers, second.headers]).toEqual([
      ['live', '2026-01-01T00:00:00.000Z', '4242'],
      ['live', '2026-01-01T00:00:02.000Z', '4300'],
    ]);
    expect([second.etag, snapshot.version]).toEqual([first.etag, version]);
    expect(headersAt(laterInputs, TEST_START + 62_001).headers[0]).toBe('stale');
  });

  it('reports a lost figure as missing, and answers 503 only for it', () => {
    const snapshot = newSnapshot();
    snapshot.rebuild(SAMPLE_INPUTS, TEST_START);
    const change = snapshot.rebuild(
      { ...SAMPLE_INPUTS, index: { ...SAMPLE_INDEX, quote: null } },
      TEST_START,
    );
    expect(change?.missing).toContain(MARKET_PATH);
    expect(snapshot.answers.get(MARKET_PATH)?.status).toBe(503);
    expect(snapshot.answers.get(BALANCE_PATH)?.status).toBe(200);
  });

  it('is due for a rebuild when the clock is set back, because ages are then unknown', () => {
    const snapshot = newSnapshot();
    snapshot.rebuild(SAMPLE_INPUTS, TEST_START);
    expect(snapshot.isDue(TEST_START - 3_600_000)).toBe(true);
    const change = snapshot.rebuild(SAMPLE_INPUTS, TEST_START - 3_600_000);
    expect(change?.bodies.get(BALANCE_PATH)).toContain('"state":"stale"');
    expect(snapshot.isDue(TEST_START - 3_599_000)).toBe(false);
  });

  it('is not due for a rebuild while there is no data that ages', () => {
    const snapshot = newSnapshot();
    snapshot.rebuild(noFigureInputs('solana', new Set()), TEST_START);
    expect(snapshot.isDue(TEST_START + 1e12)).toBe(false);
  });

  it('logs once that a figure cannot be computed, and still serves the others', () => {
    const logged: string[] = [];
    const snapshot = newSnapshot((line) => logged.push(line));
    const quote = SAMPLE_INDEX.quote && { ...SAMPLE_INDEX.quote, priceUsd: '1.1e-4' };
    const brokenInputs = { ...SAMPLE_INPUTS, index: { ...SAMPLE_INDEX, quote } };
    snapshot.rebuild(brokenInputs, TEST_START);
    snapshot.rebuild(brokenInputs, TEST_START + 1);
    expect(snapshot.answers.get(MARKET_PATH)?.status).toBe(503);
    expect(snapshot.answers.get(BALANCE_PATH)?.status).toBe(200);
    expect(logged.filter((line) => line.includes(MARKET_PATH))).toHaveLength(1);
  });

  it('gives equal bodies the same tag, and different bodies different tags', () => {
    const amounts = fc.array(fc.bigInt({ min: 0n, max: 3n }), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(amounts, (balances) => {
        const snapshot = newSnapshot();
        const bodyByTag = new Map<string, string>();
        const tagByBody = new Map<string, string>();
        for (const vaultBalance of balances) {
          snapshot.rebuild(withChain({ vaultBalance }), TEST_START);
          const answer = snapshot.answers.get(BALANCE_PATH);
          const [body, tag] = [answer?.body ?? '', answer?.etag ?? ''];
          expect(bodyByTag.get(tag) ?? body).toBe(body);
          expect(tagByBody.get(body) ?? tag).toBe(tag);
          bodyByTag.set(tag, body);
          tagByBody.set(body, tag);
        }
      }),
    );
  });
});
