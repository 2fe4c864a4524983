import { describe, expect, it } from 'vitest';
import type { TransactionRow } from '../../../data/contract/metrics.ts';
import type { Reading } from '../../data/figure-query.ts';
import { htmlOf } from '../testing/render.ts';
import { FAILED, knownReading, SAMPLE_TRANSACTION } from '../testing/samples.ts';
import { explorerLink } from '../ui/explorer-link.ts';
import { movementAgeText, movementOf, rowKey } from './movement.tsx';
import { ActivityList } from './VaultActivity.tsx';

describe('a movement', () => {
  it.each([
    ['stake', { label: 'Stake', tone: 'in', amount: '+1,500,000.25' }],
    ['unstake', { label: 'Unstake', tone: 'out', amount: '−1,500,000.25' }],
    ['deposit', { label: 'Deposit', tone: 'in', amount: '+1,500,000.25' }],
    ['withdraw', { label: 'Withdraw', tone: 'out', amount: '−1,500,000.25' }],
    ['other', { label: 'Other', tone: 'other', amount: '1,500,000.25' }],
  ] as const)('has the label, sign and tone of its kind: %s', (type, shown) => {
    expect(movementOf({ ...SAMPLE_TRANSACTION, type })).toMatchObject(shown);
  });

  it('shows a small amount in full', () => {
    expect(movementOf({ ...SAMPLE_TRANSACTION, amount: '0.0012' }).amount).toBe('+0.0012');
  });

  it('shows its age in seconds, minutes, hours or days, and no age without a time', () => {
    const { happenedAt } = movementOf(SAMPLE_TRANSACTION);
    const textAfter = (seconds: number) => movementAgeText(happenedAt, 1_700_000_000_000 + seconds * 1_000);
    expect([12, 60, 3_600, 172_800].map(textAfter)).toEqual(['12 s ago', '1 min ago', '1 h ago', '2 d ago']);
    expect(movementOf({ ...SAMPLE_TRANSACTION, blockTime: null }).happenedAt).toBeNull();
  });

  it('has a key that is unique in its transaction', () => {
    const keyFields = [{}, { account: 'vault' }, { part: 1 }] as const;
    expect(new Set(keyFields.map((fields) => rowKey({ ...SAMPLE_TRANSACTION, ...fields }))).size).toBe(3);
  });
});

describe('the feed', () => {
  const explorer = explorerLink('https://e.example', 'mainnet-beta');
  const listHtml = (reading: Reading<TransactionRow[]>, link: typeof explorer = explorer) =>
    htmlOf(<ActivityList link={link} reading={reading} />);

  it.each<[string, Reading<TransactionRow[]>]>([
    ['empty', knownReading([])],
    ['unknown', { kind: 'unknown' }],
    ['failed', FAILED],
  ])('has the notice “%s” instead of rows, with a retry only after a failed read', (notice, reading) => {
    expect(listHtml(reading)).toContain(`data-notice="${notice}"`);
    expect(listHtml(reading).includes('<button')).toBe(notice === 'failed');
  });

  it('links the shortened signature to the explorer if the explorer supports the cluster', () => {
    const reading = knownReading([SAMPLE_TRANSACTION]);
    expect(listHtml(reading)).toContain(`href="https://e.example/tx/${SAMPLE_TRANSACTION.signature}"`);
    expect(listHtml(reading)).toContain('4vJ9…Xb2T');
    expect(listHtml(reading, null)).not.toContain('href');
    expect(listHtml(reading, null)).toContain('4vJ9…Xb2T');
  });
});
