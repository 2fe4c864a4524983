import { describe, expect, it } from 'vitest';
import { htmlOf, textOf } from '../testing/render.ts';
import { FAILED, knownReading, sampleProgram } from '../testing/samples.ts';
import { ProgramDetailsList } from './ProgramDetailsList.tsx';

const text = (overrides: Parameters<typeof sampleProgram>[0] = {}) =>
  textOf(<ProgramDetailsList link={null} reading={knownReading(sampleProgram(overrides))} />);

describe('the program details', () => {
  it('show the program’s state, accounts, value and last verification', () => {
    expect(text()).toContain('State Active');
    expect(text()).toContain('Accounts 1,234 Total value 20,887,580.31 BD');
    expect(text()).toContain('Last verified 21 Nov 2026, 14:05 UTC');
  });

  it('show “Recently” for an invalid date, and a dash for a missing one', () => {
    expect(text({ lastVerified: 'soon' })).toContain('Last verified Recently');
    expect(text({ lastVerified: null })).toContain('Last verified — Never');
  });

  it('show a dash while it is unknown whether the program is active', () => {
    expect(text({ isActive: null })).toContain('State — Not available');
    expect(text({ isActive: false })).toContain('State Not active');
  });

  it('show differences and quarantined transactions', () => {
    const differences = [{ what: 'pool.staked', onChain: '5', indexed: '4' }];
    const page = text({
      verification: { state: 'differs', slot: 9, at: '2026-11-21T14:06:00.000Z', differences },
      quarantined: 2,
    });
    expect(page).toContain('slot 9');
    expect(page).toMatch(/pool\.staked: 5\D+4/);
    expect(page).toContain('2 transactions');
  });

  it('show each alarm with its account, its transaction, and the address that was set', () => {
    const alarm = {
      kind: 'delegate-approved',
      account: 'vault',
      signature: '5'.repeat(88),
      slot: 9,
      blockTime: null,
      status: 'finalized',
    } as const;
    const page = text({
      alarms: [
        { ...alarm, address: 'A'.repeat(40) },
        { ...alarm, address: 'B'.repeat(40) },
        { ...alarm, kind: 'account-closed', address: null },
      ],
    });
    expect(page).toMatch(/Vault: delegate approved.*AAAA…AAAA.*5555…5555/);
    expect(page).toMatch(/Vault: delegate approved.*BBBB…BBBB.*5555…5555/);
    expect(page).toMatch(/Vault: account closed.*5555…5555/);
  });

  it('offer a retry after a failed read', () => {
    const html = htmlOf(<ProgramDetailsList link={null} reading={FAILED} />);
    expect(html).toContain('<button');
    expect(html).not.toContain('Active');
  });
});
