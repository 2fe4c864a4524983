import { describe, expect, it } from 'vitest';
import { EVENT_KINDS } from '../../../data/model/chain-events.ts';
import { activityRow, rowKey, whenText } from './activity-row.ts';

const row = (
  type: (typeof EVENT_KINDS)[number],
  blockTime: number | null = 1_700_000_000,
  amount = '1500000',
) =>
  activityRow({
    type,
    account: 'vault',
    amount,
    signature: '5'.repeat(88),
    part: 0,
    status: 'confirmed',
    blockTime,
    wallet: null,
    slot: 1,
  });

describe('a row of the feed', () => {
  it('is green with a plus for stakes and deposits, red with a minus for their opposites, gold for anything else', () => {
    expect(EVENT_KINDS.map((kind) => [kind, row(kind).tone, row(kind).amount])).toEqual([
      ['stake', 'in', '+1,500,000.00'],
      ['unstake', 'out', '−1,500,000.00'],
      ['deposit', 'in', '+1,500,000.00'],
      ['withdraw', 'out', '−1,500,000.00'],
      ['other', 'other', '1,500,000.00'],
    ]);
  });

  it('says its kind in a word, so that colour does not speak alone', () => {
    expect(EVENT_KINDS.map((kind) => row(kind).word)).toEqual([
      'Stake',
      'Unstake',
      'Deposit',
      'Withdraw',
      'Other',
    ]);
  });

  it('tells how long ago in seconds, minutes, hours and days', () => {
    const { happenedAt } = row('stake');
    const at = (seconds: number) => whenText(happenedAt, 1_700_000_000_000 + seconds * 1_000);
    expect([at(12), at(60), at(3_600), at(172_800)]).toEqual(['12 s ago', '1 min ago', '1 h ago', '2 d ago']);
  });

  it('is told apart from the other movements of its transaction, though all are of one kind', () => {
    const signature = '5'.repeat(88);
    const keys = [
      rowKey({ signature, account: 'vault', part: 0 }),
      rowKey({ signature, account: 'stake-pool', part: 0 }),
      rowKey({ signature, account: 'stake-pool', part: 1 }),
    ];
    expect(new Set(keys).size).toBe(3);
  });

  it('shows an amount below a cent with all its decimals', () => {
    expect(row('stake', null, '0.0012').amount).toBe('+0.0012');
  });

  it('does not invent a time where the cluster knows none', () => {
    expect(whenText(row('stake', null).happenedAt, Date.now())).toBe('time unknown');
  });
});
