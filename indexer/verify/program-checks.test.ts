import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { SPL_TOKEN } from './chain-accounts.ts';
import { type ChainAlarm, decodeAlarms } from './chain-events.ts';
import type { ChainReading } from './chain-reading.ts';
import { PROGRAM_CHECKS } from './program-checks.ts';
import { poolEvent, sampleChain, sampleOpenEntry, verdictOn } from './testing/sample-portal.ts';
import {
  type SampleBalance,
  type SampleInstruction,
  sampleAddress,
  transactionOf,
  VAULT,
} from './testing/sample-transaction.ts';

const [owner, thief] = [sampleAddress('owner'), sampleAddress('thief')];

const token = (data: readonly number[], ...accounts: readonly string[]): SampleInstruction => ({
  program: SPL_TOKEN,
  accounts,
  data: Uint8Array.from(data),
});
const keyOf = (text: string) => [...bs58.decode(text)];
const unchanged = { account: VAULT.address, owner, before: 5n, after: 5n };
const alarmsOf = (instruction: SampleInstruction, balance: SampleBalance = unchanged) =>
  decodeAlarms(transactionOf([instruction], [balance]), VAULT).map(({ kind, address: set }) => [kind, set]);

describe('the alarms on a watched account', () => {
  it.each<[string, readonly number[], readonly string[], readonly unknown[]]>([
    ['an approval', [4, 1, 0, 0, 0, 0, 0, 0, 0], [VAULT.address, thief], ['delegate-approved', thief]],
    [
      'a checked approval',
      [13, 1],
      [VAULT.address, sampleAddress('mint'), thief],
      ['delegate-approved', thief],
    ],
    ['a new owner', [6, 2, 1, ...keyOf(thief)], [VAULT.address, owner], ['owner-changed', thief]],
    ['a close authority', [6, 3, 1, ...keyOf(thief)], [VAULT.address], ['close-authority-changed', thief]],
    ['a removed close authority', [6, 3, 0], [VAULT.address], ['close-authority-changed', null]],
    ['a closed account', [9], [VAULT.address, thief, owner], ['account-closed', null]],
    [
      'an approval in a batch',
      [255, 1, 1, 9, 2, 2, 4, 1],
      [thief, VAULT.address, owner],
      ['delegate-approved', owner],
    ],
  ])('include %s', (_what, data, accounts, alarm) => {
    expect(alarmsOf(token(data, ...accounts))).toEqual([alarm]);
  });

  it('include a closed account once, even if both the balances and an instruction show it', () => {
    const gone = { ...unchanged, after: null };
    expect(alarmsOf(token([3], thief, owner), gone)).toEqual([['account-closed', null]]);
    expect(alarmsOf(token([9], VAULT.address), gone)).toEqual([['account-closed', null]]);
  });

  it('exclude an unchanged owner, a different account, and a mint authority', () => {
    expect(alarmsOf(token([6, 2, 1, ...keyOf(owner)], VAULT.address))).toEqual([]);
    expect(alarmsOf(token([9], thief))).toEqual([]);
    expect(alarmsOf(token([6, 0, 0], VAULT.address))).toEqual([]);
  });
});

const alarm: ChainAlarm = {
  kind: 'delegate-approved',
  account: 'vault',
  signature: 'signature',
  slot: 7,
  blockTime: 1_000,
  address: thief,
};
const AT = '2026-01-01T12:00:00.000Z';
const chain = sampleChain({
  alarms: [alarm],
  accounts: { totalStake: 5n, poolVaultAmount: 6n, openEntries: [] },
  poolEvents: [poolEvent({ change: 5n }), poolEvent({ change: 1n, type: 'other', part: 1 })],
});
const consistentReading: ChainReading = {
  ...chain,
  accounts: { ...chain.accounts, openEntries: [sampleOpenEntry({ amount: 5n })] },
};

const summary = {
  lastVerified: AT,
  verification: { state: 'agree', slot: 90, at: AT, differences: [] },
  quarantined: 0,
  alarms: [alarm],
};
const verdict = async (figure: string, fields: object, reading = consistentReading) => {
  const check = PROGRAM_CHECKS.find((candidate) => candidate.figure.includes(figure));
  const bodies = { '/api/transactions': [], '/api/staking/program-summary': { ...summary, ...fields } };
  return (await verdictOn(check, bodies, reading)).kind;
};
const reconciled = (fields: object) => ({ verification: { ...summary.verification, ...fields } });

describe("the portal's reconciliation", () => {
  it('agrees if it reports correctly whether the accounts and the history agree', async () => {
    const agree = 'accounts and history agree';
    const differs = { state: 'differs', differences: [{ what: 'stake-pool.open-entries' }] };
    expect(await verdict(agree, {})).toBe('agree');
    expect(await verdict(agree, {}, chain)).toBe('differs');
    expect(await verdict(agree, reconciled(differs), chain)).toBe('agree');
    expect(await verdict(agree, reconciled(differs))).toBe('differs');
    expect(await verdict(agree, reconciled({ state: 'overdue' }))).toBe('not comparable');
  });

  it('agrees if the chain’s accounts were read in the middle of a slot', async () => {
    const late = poolEvent({ change: 7n, slot: consistentReading.accounts.slot });
    const during = { ...consistentReading, poolEvents: [late, ...consistentReading.poolEvents] };
    expect(await verdict('accounts and history agree', {}, during)).toBe('agree');
    const before = {
      ...consistentReading,
      poolEvents: [{ ...late, slot: 2 }, ...consistentReading.poolEvents],
    };
    expect(await verdict('accounts and history agree', {}, before)).toBe('differs');
  });

  it('differs if its time or slot is in the future, or its time is missing', async () => {
    const last = 'last comparison';
    expect(await verdict(last, {})).toBe('agree');
    expect(await verdict(last, reconciled({ slot: 1_000 }))).toBe('differs');
    expect(await verdict(last, reconciled({ at: '2999-01-01T00:00:00.000Z' }))).toBe('differs');
    expect(await verdict(last, { lastVerified: null })).toBe('differs');
    const never = { lastVerified: null, ...reconciled({ state: 'not-yet', at: null }) };
    expect(await verdict(last, never)).toBe('not comparable');
  });

  it('is not comparable for unread transactions and alarms if any transaction is quarantined', async () => {
    expect(await verdict('could not be read', {})).toBe('agree');
    expect(await verdict('could not be read', { quarantined: 2 })).toBe('not comparable');
    expect(await verdict('alarms', { quarantined: 2 })).toBe('not comparable');
  });

  it('agrees only if it lists exactly the alarms on the chain', async () => {
    expect(await verdict('alarms', {})).toBe('agree');
    expect(await verdict('alarms', { alarms: [] })).toBe('differs');
    expect(await verdict('alarms', { alarms: [{ ...alarm, address: owner }] })).toBe('differs');
    expect(await verdict('alarms', { alarms: [alarm, { ...alarm, slot: 6 }] })).toBe('differs');
  });
});
