import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { TransactionRow } from '../../../data/contract/metrics.ts';
import { EVENT_KINDS } from '../../../data/model/chain-events.ts';
import type { Reading } from '../../data/figure-query.ts';
import { explorerLink } from '../ui/explorer-link.ts';
import { movementOf, rowKey, whenText } from './movement.tsx';
import { ActivityList } from './VaultActivity.tsx';

const TRANSACTION: TransactionRow = {
  type: 'stake',
  account: 'vault',
  amount: '1500000',
  signature: `4vJ9${'m'.repeat(80)}Xb2T`,
  part: 0,
  status: 'finalized',
  blockTime: 1_700_000_000,
  wallet: null,
  slot: 1,
};

describe('a movement', () => {
  it('has the label, sign and tone of its kind', () => {
    const shown = EVENT_KINDS.map((type) => {
      const { label, tone, amount } = movementOf({ ...TRANSACTION, type });
      return [label, tone, amount];
    });
    expect(shown).toEqual([
      ['Stake', 'in', '+1,500,000.00'],
      ['Unstake', 'out', '−1,500,000.00'],
      ['Deposit', 'in', '+1,500,000.00'],
      ['Withdraw', 'out', '−1,500,000.00'],
      ['Other', 'other', '1,500,000.00'],
    ]);
  });

  it('shows its age in seconds, minutes, hours or days, and no age without a time', () => {
    const { happenedAt } = movementOf(TRANSACTION);
    const textAfter = (seconds: number) => whenText(happenedAt, 1_700_000_000_000 + seconds * 1_000);
    expect([12, 60, 3_600, 172_800].map(textAfter)).toEqual(['12 s ago', '1 min ago', '1 h ago', '2 d ago']);
    expect(movementOf({ ...TRANSACTION, blockTime: null }).happenedAt).toBeNull();
  });

  it('has a unique key within its transaction', () => {
    const { signature } = TRANSACTION;
    const keys = [
      rowKey({ signature, account: 'vault', part: 0 }),
      rowKey({ signature, account: 'stake-pool', part: 0 }),
      rowKey({ signature, account: 'stake-pool', part: 1 }),
    ];
    expect(new Set(keys).size).toBe(3);
  });

  it('shows an amount below a cent with all its decimals', () => {
    expect(movementOf({ ...TRANSACTION, amount: '0.0012' }).amount).toBe('+0.0012');
  });
});

describe('the feed', () => {
  const list = (
    reading: Reading<TransactionRow[]>,
    link = explorerLink('https://e.example', 'mainnet-beta'),
  ) => renderToString(<ActivityList link={link} reading={reading} />);

  it('distinguishes an empty, an unknown and a failed list, and offers a retry for the last', () => {
    const notice = (reading: Reading<TransactionRow[]>) => /data-notice="(\w+)"/.exec(list(reading))?.[1];
    expect(notice({ kind: 'known', body: [] })).toBe('empty');
    expect(notice({ kind: 'unknown' })).toBe('unknown');
    const failed = { kind: 'failed', retry: () => {}, retrying: false } as const;
    expect(notice(failed)).toBe('failed');
    expect(list(failed)).toContain('<button');
  });

  it('links the shortened signature to the explorer, if that shows the chain', () => {
    const known = { kind: 'known', body: [TRANSACTION] } as const satisfies Reading<unknown>;
    const reading = { ...known, body: [...known.body] };
    expect(list(reading)).toContain(`href="https://e.example/tx/${TRANSACTION.signature}"`);
    expect(list(reading)).toContain('4vJ9…Xb2T');
    expect(list(reading, null)).not.toContain('href');
    expect(list(reading, null)).toContain('4vJ9…Xb2T');
  });
});
