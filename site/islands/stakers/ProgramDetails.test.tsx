import { describe, expect, it } from 'vitest';
import type { FigureBodies } from '../../data/figure-strategies.ts';
import { htmlOf, textOf } from '../testing/render.ts';
import { Details } from './ProgramDetails.tsx';

type Summary = FigureBodies['/api/staking/program-summary'];

const summary: Summary = {
  isActive: true,
  programAddress: 'P'.repeat(40),
  stakePool: 'S'.repeat(40),
  tokenAddress: 'T'.repeat(40),
  totalAccounts: 1_234,
  totalValue: '20887580.31',
  lastVerified: '2026-11-21T14:05:59.000Z',
  verification: { state: 'agree', slot: 9, at: '2026-11-21T14:05:59.000Z', differences: [] },
  quarantined: 0,
  alarms: [],
  asOf: '2026-11-21T14:06:00.000Z',
  slot: 9,
  source: 'solana',
  state: 'live',
};
const text = (part: Partial<Summary>) =>
  textOf(<Details link={null} reading={{ kind: 'known', body: { ...summary, ...part } }} />);

describe('the program details', () => {
  it('show its state, accounts, value and last verification', () => {
    const page = text({});
    expect(page).toContain('State Active');
    expect(page).toContain('Accounts 1,234 Total value 20,887,580.31 BD');
    expect(page).toContain('Last verified 21 Nov 2026, 14:05 UTC');
  });

  it('show Recently for an invalid date, and a dash for none', () => {
    expect(text({ lastVerified: 'soon' })).toContain('Last verified Recently');
    expect(text({ lastVerified: null })).toContain('Last verified — Never');
  });

  it('show a dash while it is unknown whether the program is active', () => {
    expect(text({ isActive: null })).toContain('State — Not available');
    expect(text({ isActive: false })).toContain('State Not active');
  });

  it('show differences and unreadable transactions', () => {
    const page = text({
      verification: {
        state: 'differs',
        slot: 9,
        at: summary.asOf,
        differences: [{ what: 'pool.staked', onChain: '5', indexed: '4' }],
      },
      quarantined: 2,
    });
    expect(page).toContain('slot 9');
    expect(page).toMatch(/pool\.staked: 5\D+4/);
    expect(page).toContain('2 transactions');
  });

  it('show each alarm of a transaction with the address that it set', () => {
    const alarm = {
      kind: 'delegate-approved',
      account: 'vault',
      signature: '5'.repeat(88),
      slot: 9,
      blockTime: null,
      status: 'finalized',
    } as const;
    const [one, other] = ['A', 'B'].map((letter) => ({ ...alarm, address: letter.repeat(40) }));
    const closed = { ...alarm, kind: 'account-closed', address: null } as const;
    const page = text({ alarms: [one, other, closed].filter((row) => row !== undefined) });
    expect(page).toMatch(/delegate approved.*vault.*AAAA…AAAA.*5555…5555/);
    expect(page).toMatch(/delegate approved.*vault.*BBBB…BBBB.*5555…5555/);
    expect(page).toMatch(/account closed.*vault.*5555…5555/);
  });

  it('offer a retry after a failed read', () => {
    const html = htmlOf(
      <Details link={null} reading={{ kind: 'failed', retry: () => {}, retrying: false }} />,
    );
    expect(html).toContain('<button');
    expect(html).not.toContain('Active');
  });
});
