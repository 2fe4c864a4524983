import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEDGER, ledgerKeypair } from '../addresses.ts';
import { FINALITY_SLOTS } from '../chain.ts';
import {
  acceptedTransaction,
  callRpc,
  type ServedLedger,
  startServedLedger,
} from '../testing/test-ledger.ts';
import { depositTransactionBytes } from '../transactions.ts';

interface SignatureRow {
  readonly signature: string;
  readonly slot: number;
}

const DEPOSIT_COUNT = 60;
const depositor = ledgerKeypair('holder-3');
let ledger: ServedLedger;
let expectedHistory: SignatureRow[];

beforeAll(async () => {
  ledger = await startServedLedger();
  const before = ledger.chain.signaturesFor(LEDGER.vault, { limit: 1000 });
  expectedHistory =
    before.kind === 'found' ? before.rows.map(({ signature, slot }) => ({ signature, slot })) : [];
  for (let count = 1; count <= DEPOSIT_COUNT; count++) {
    if (count % 4 === 0) ledger.advance(3);
    const wire = depositTransactionBytes(
      depositor,
      { amount: BigInt(count) },
      ledger.chain.latestBlockhash().blockhash,
    );
    const { signature, slot } = acceptedTransaction(ledger.chain.send(wire));
    expectedHistory.unshift({ signature, slot });
  }
});
afterAll(async () => {
  expect(ledger.errors).toEqual([]);
  await ledger.close();
});

interface Query {
  readonly before?: string;
  readonly until?: string;
  readonly limit?: number;
  readonly commitment?: 'confirmed' | 'finalized';
}

async function request(query: Query): Promise<SignatureRow[]> {
  const reply = await callRpc(ledger.server.url, 'getSignaturesForAddress', [LEDGER.vault, query]);
  const { result } = reply as { result: SignatureRow[] };
  return result.map(({ signature, slot }) => ({ signature, slot }));
}

/** The rows older than `before`, newer than `until`, finalized if requested, at most `limit`. */
function expectedPage({ before, until, limit = 1000, commitment = 'finalized' }: Query): SignatureRow[] {
  const from = before === undefined ? 0 : expectedHistory.findIndex((row) => row.signature === before) + 1;
  const to =
    until === undefined
      ? expectedHistory.length
      : expectedHistory.findIndex((row) => row.signature === until);
  const newestSlot = ledger.chain.clock().slot - (commitment === 'finalized' ? FINALITY_SLOTS : 0);
  return expectedHistory
    .slice(from, Math.max(from, to))
    .filter((row) => row.slot <= newestSlot)
    .slice(0, limit);
}

describe('getSignaturesForAddress', () => {
  it('applies any combination of cursors, limit and commitment', async () => {
    const cursor = fc.option(fc.nat({ max: expectedHistory.length - 1 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(
        cursor,
        cursor,
        fc.option(fc.integer({ min: 1, max: 70 }), { nil: undefined }),
        fc.constantFrom('confirmed' as const, 'finalized' as const, undefined),
        async (before, until, limit, commitment) => {
          const query: Query = {
            ...(before === undefined ? {} : { before: expectedHistory[before]?.signature ?? '' }),
            ...(until === undefined ? {} : { until: expectedHistory[until]?.signature ?? '' }),
            ...(limit === undefined ? {} : { limit }),
            ...(commitment === undefined ? {} : { commitment }),
          };
          expect(await request(query)).toEqual(expectedPage(query));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('marks rows as confirmed or finalized', async () => {
    const reply = await callRpc(ledger.server.url, 'getSignaturesForAddress', [
      LEDGER.vault,
      { commitment: 'confirmed' },
    ]);
    const { result } = reply as { result: { slot: number; confirmationStatus: string }[] };
    const finalizedSlot = ledger.chain.clock().slot - FINALITY_SLOTS;
    expect(new Set(result.map((row) => row.confirmationStatus))).toEqual(new Set(['confirmed', 'finalized']));
    for (const row of result) {
      expect(row.confirmationStatus).toBe(row.slot <= finalizedSlot ? 'finalized' : 'confirmed');
    }
  });
});

describe('getSignatureStatuses', () => {
  it('counts confirmations until finality', async () => {
    const status = async (row: SignatureRow | undefined): Promise<unknown> => {
      const reply = await callRpc(ledger.server.url, 'getSignatureStatuses', [[row?.signature]]);
      return (reply as { result: { value: unknown[] } }).result.value[0];
    };
    const newest = expectedHistory[0];
    const age = ledger.chain.clock().slot - (newest?.slot ?? 0);
    expect(await status(newest)).toMatchObject({
      confirmations: age,
      confirmationStatus: 'confirmed',
      err: null,
    });
    const final = expectedHistory.find((row) => row.slot + FINALITY_SLOTS <= ledger.chain.clock().slot);
    expect(await status(final)).toMatchObject({ confirmations: null, confirmationStatus: 'finalized' });
  });

  it('finds old signatures only with searchTransactionHistory', async () => {
    const old = expectedHistory.at(-1)?.signature;
    const unknown = '1'.repeat(64);
    const recent = await callRpc(ledger.server.url, 'getSignatureStatuses', [
      [old, unknown, expectedHistory[0]?.signature],
    ]);
    expect(recent).toMatchObject({ result: { value: [null, null, { err: null }] } });
    const all = await callRpc(ledger.server.url, 'getSignatureStatuses', [
      [old, unknown],
      { searchTransactionHistory: true },
    ]);
    expect(all).toMatchObject({ result: { value: [{ confirmationStatus: 'finalized' }, null] } });
  });
});
