import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { TransactionRow } from '../../../data/contract/metrics.ts';
import type { WalletPosition } from '../../../data/contract/position.ts';
import type { PositionError } from '../../data/position-query.ts';
import { $lastReads } from '../../data/source-freshness.ts';
import { explorerLink } from '../ui/explorer-link.ts';
import PositionView from './PositionView.tsx';
import { unlockCalendar, unlockEvent } from './Stakes.tsx';
import { type PositionReading, walletMovements } from './use-position.ts';

const wallet = '4MvNhuHvLF1j8hB5jsS6J2WW26K3JfHMNVKpkfBbsie4';
const stake = {
  entry: 'CMp9cLkTeNb2Hc1vsP2JJQvkc4eHDmiuayXiKnSpsAH4',
  amount: '1500000.25',
  startDate: '2026-11-21T16:02:48.000Z',
  unlockDate: '2027-05-20T16:02:48.000Z',
  openedBy: null,
};

describe('the calendar event for the end of a lock', () => {
  it('is at the unlock time, with a stable id', () => {
    const { fileName, text } = unlockCalendar(stake, wallet, Date.UTC(2026, 10, 21));
    expect(fileName).toBe('bd-unlock-2027-05-20.ics');
    expect(text).toContain('\r\nDTSTART:20270520T160248Z\r\n');
    expect(text).toContain('\r\nSUMMARY:BD stake unlocks: 1\\,500\\,000.25 BD\r\n');
    const again = unlockCalendar(stake, wallet, Date.UTC(2026, 11, 1));
    const uid = /UID:.+/.exec(text)?.[0];
    expect(again.text).toContain(uid);
    expect(unlockEvent({ ...stake, entry: 'another' }, wallet).uid).not.toBe(unlockEvent(stake, wallet).uid);
  });
});

const WALLET = '4MvNhuHvLF1j8hB5jsS6J2WW26K3JfHMNVKpkfBbsie4';
const DAY = 86_400_000;
const startDate = new Date(Date.now() - 10 * DAY).toISOString();
const unlockDate = new Date(Date.now() + 170 * DAY).toISOString();
const row: TransactionRow = {
  type: 'stake',
  account: 'stake-pool',
  amount: '1500000.25',
  signature: 's'.repeat(80),
  part: 0,
  status: 'finalized',
  blockTime: 1,
  wallet: WALLET,
  slot: 7,
};
const staking: WalletPosition = {
  walletAddress: WALLET,
  isStaking: true,
  staked: '1500000.25',
  lock: { startDate, unlockDate },
  stakes: [{ entry: WALLET, amount: '1500000.25', startDate, unlockDate, openedBy: row.signature }],
  tier: 'Duckling',
  badge: 'Silver',
  nextTier: { tier: 'Banker', minimumStake: '5000000', missing: '3499999.75' },
  statedReward: '656137.095657',
  transactions: { rows: [row], next: null, isComplete: true },
  asOf: new Date().toISOString(),
  slot: 7,
  source: 'solana',
  state: 'live',
};
const withoutStake: WalletPosition = {
  ...staking,
  isStaking: false,
  staked: '0',
  lock: null,
  stakes: [],
  tier: 'None',
  badge: null,
  nextTier: { tier: 'Duckling', minimumStake: '1500000', missing: '1500000' },
  statedReward: '0',
  transactions: { rows: [], next: null, isComplete: true },
};

const known = (position: WalletPosition): Extract<PositionReading, { kind: 'known' }> => ({
  kind: 'known',
  position,
  transactions: position.transactions?.rows ?? null,
  readOlder: null,
  olderFailure: null,
  readingOlder: false,
  refresh: null,
});
const failed = (failure: PositionError): PositionReading => ({
  kind: 'failed',
  failure,
  retry: () => {},
  retrying: false,
});
const html = (reading: PositionReading) =>
  renderToString(
    <PositionView
      wallet={WALLET}
      link={explorerLink('https://e.example', 'mainnet-beta')}
      reading={reading}
    />,
  ).replaceAll('<!-- -->', '');
const text = (reading: PositionReading) =>
  html(reading)
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

describe('the position of a wallet that stakes', () => {
  const page = text(known(staking));

  it('shows its stake, its tier and the amount for the next tier', () => {
    expect(page).toContain('Staked 1,500,000 .25 BD In one stake');
    expect(page).toContain('Card Tier Duckling Silver');
    expect(page).toContain('Needed for Banker 3,499,999 .75 BD From 5,000,000.00 BD');
    expect(page).toMatch(/169 d 23 h 59 min|170 d 0 h 0 min/);
  });

  it('shows the formula of the reward with the lock', () => {
    expect(page).toContain('1,500,000.25 BD × 88.7% × 180 ÷ 365 = 656,137.10 BD');
    expect(page).toContain('set by the project');
    expect(page).toContain('180 days');
  });

  it('shows the smallest missing amount', () => {
    const nextTier = { tier: 'Banker', minimumStake: '5000000', missing: '0.000001' } as const;
    expect(text(known({ ...staking, nextTier }))).toContain('Needed for Banker 0.000001 BD');
  });

  it('ages after a failed read, even if the chain is still read', () => {
    const asOf = new Date(Date.now() - 3_600_000).toISOString();
    $lastReads.set({ chain: Date.now(), market: null });
    const reading = { ...known({ ...staking, asOf }), refresh: { run: () => {}, running: false } };
    expect(html(known({ ...staking, asOf }))).toContain('data-state="live"');
    expect(html(reading)).not.toContain('data-state="live"');
    expect(html(reading)).toContain('data-warning="outdated"');
    $lastReads.set({ chain: null, market: null });
  });

  it('links the stake to the transaction that opened it', () => {
    expect(html(known(staking))).toContain(`href="https://e.example/tx/${row.signature}"`);
  });

  it('shows the highest tier', () => {
    expect(text(known({ ...staking, tier: 'Raven', nextTier: null }))).toContain('Next Tier Highest');
  });

  it('warns if a transaction could not be read', () => {
    const transactions = { rows: [row], next: null, isComplete: false };
    expect(html(known({ ...staking, transactions }))).toContain('data-warning="incomplete"');
  });

  it('marks a failed read of older transactions and keeps its button', () => {
    const transactions = { rows: [row], next: 'older', isComplete: true };
    const reading = { ...known({ ...staking, transactions }), readOlder: () => {} };
    expect(html(reading)).not.toContain('data-failure');
    const failing = html({ ...reading, olderFailure: 'failed' });
    expect(failing).toContain('data-failure=');
    expect(failing).toContain('Load older transactions</button>');
    expect(html({ ...reading, olderFailure: 'too-many' })).toContain('data-failure="too-many"');
  });

  it('reserves the space of the warning', () => {
    const empty = /<div class="[^"]*outdated[^"]*" role="status"><\/div>/;
    expect(html(known(staking))).toMatch(empty);
    expect(html({ ...known(staking), refresh: { run: () => {}, running: false } })).not.toMatch(empty);
  });

  it('shows no empty table while the history loads', () => {
    const page = text(known({ ...staking, transactions: null }));
    expect(page).not.toContain('No transaction');
  });
});

describe('a wallet without a stake', () => {
  it('shows no figure if it has no history', () => {
    const page = text(known(withoutStake));
    expect(html(known(withoutStake))).toContain('data-notice="no-history"');
    expect(page).not.toMatch(/Stated Reward|0\.00/);
  });

  it('may be incomplete while a transaction could not be read', () => {
    const transactions = { rows: [], next: null, isComplete: false };
    expect(html(known({ ...withoutStake, transactions }))).toContain('data-complete="false"');
  });

  it('does not say that it has no history while the history loads', () => {
    expect(text(known({ ...withoutStake, transactions: null }))).not.toContain('no history');
  });

  it('shows its transactions if it staked before', () => {
    const transactions = { rows: [row], next: null, isComplete: true };
    const page = text(known({ ...withoutStake, transactions }));
    expect(html(known({ ...withoutStake, transactions }))).toContain('data-notice="no-stake"');
    expect(page).toContain('Transactions');
    expect(page).not.toContain('Stated reward');
  });
});

describe('a position that could not be read', () => {
  it('differs for each error', () => {
    const failures = ['no-key', 'not-known', 'too-many', 'no-network', 'failed'] as const;
    const texts = failures.map((failure) => {
      expect(html(failed(failure))).toContain(`data-notice="${failure}"`);
      return text(failed(failure));
    });
    expect(new Set(texts).size).toBe(failures.length);
  });

  it('offers a retry unless the address is invalid', () => {
    expect(html(failed('no-network'))).toContain('<button');
    expect(html(failed('no-key'))).not.toContain('<button');
  });

  it('shows no figure', () => {
    expect(text(failed('not-known'))).not.toMatch(/\d/);
    expect(text({ kind: 'loading' })).not.toMatch(/\d/);
  });
});

describe("a wallet's movements in a stream change", () => {
  const change = (bodies: Record<string, unknown>) => ({ version: 1, bodies, announced: [], missing: [] });
  const of = (...rows: unknown[]) => walletMovements(WALLET, change({ '/api/transactions': rows }));

  it('differ only for its own movements and their status', () => {
    expect(of(row)).not.toBe(of());
    expect(of(row)).not.toBe(of({ ...row, status: 'confirmed' }));
    expect(of(row)).toBe(of({ ...row, wallet: 'another', signature: 'x' }, row));
  });

  it('are null for a change without movements', () => {
    expect(walletMovements(WALLET, change({ '/api/staking/total': {} }))).toBeNull();
    expect(walletMovements(WALLET, change({ '/api/transactions': 'x' }))).toBeNull();
    expect(of(null, 7, { wallet: WALLET })).toBe('');
  });
});
