import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { TransactionRow } from '../../../data/contract/metrics.ts';
import type { WalletPosition } from '../../../data/contract/position.ts';
import type { PositionFault } from '../../data/position-query.ts';
import { $lastReads } from '../../data/source-freshness.ts';
import { explorerLink } from '../figure/explorer-link.ts';
import PositionView from './PositionView.tsx';
import { tierRank } from './TierRise.tsx';
import { newsOf, type PositionReading } from './use-position.ts';

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
const nothing: WalletPosition = {
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
  olderFault: null,
  readingOlder: false,
  behind: null,
});
const failed = (fault: PositionFault): PositionReading => ({
  kind: 'failed',
  fault,
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

  it('tells its stake, its tier and what is missing to the next', () => {
    expect(page).toContain('Staked 1,500,000 .25 BD In one stake');
    expect(page).toContain('Card Tier Duckling Silver');
    expect(page).toContain('Missing to Banker 3,499,999 .75 BD It begins at 5,000,000.00 BD');
    expect(page).toMatch(/169 d 23 h 59 min|170 d 0 h 0 min/);
  });

  it('shows the arithmetic of the reward, never as a promise, with the lock beside it', () => {
    expect(page).toContain('1,500,000.25 BD × 88.7% × 180 ÷ 365 = 656,137.10 BD');
    expect(page).toContain('set by the project');
    expect(page).toContain('It is not compounded and not guaranteed.');
    expect(page).toContain('locked for 180 days without early withdrawal, and restaking restarts the lock');
  });

  it('never tells what is missing as nothing, however little it is', () => {
    const nextTier = { tier: 'Banker', minimumStake: '5000000', missing: '0.000001' } as const;
    expect(text(known({ ...staking, nextTier }))).toContain('Missing to Banker 0.000001 BD');
  });

  it('says that it could not be read again, and grows old though the chain is still read', () => {
    const asOf = new Date(Date.now() - 3_600_000).toISOString();
    $lastReads.set({ chain: Date.now(), market: null });
    const reading = { ...known({ ...staking, asOf }), behind: { run: () => {}, running: false } };
    expect(html(known({ ...staking, asOf }))).toContain('data-state="live"');
    expect(html(reading)).not.toContain('data-state="live"');
    expect(text(reading)).toContain('could not be read again');
    $lastReads.set({ chain: null, market: null });
  });

  it('links the stake to the transaction that opened it', () => {
    expect(html(known(staking))).toContain(`href="https://e.example/tx/${row.signature}"`);
  });

  it('says that no tier is higher than the highest', () => {
    expect(text(known({ ...staking, tier: 'Raven', nextTier: null }))).toContain('No tier is higher');
  });

  it('warns where a transaction could not be read, which may be its own', () => {
    const transactions = { rows: [row], next: null, isComplete: false };
    expect(text(known({ ...staking, transactions }))).toContain('It may be of this wallet.');
  });

  it('says that older transactions could not be read, beside the way to try again', () => {
    const transactions = { rows: [row], next: 'older', isComplete: true };
    const reading = { ...known({ ...staking, transactions }), readOlder: () => {} };
    expect(text(reading)).not.toContain('could not be read');
    const failing = html({ ...reading, olderFault: 'failed' });
    expect(failing).toContain('Older transactions could not be read.');
    expect(failing).toContain('Read older transactions</button>');
    expect(text({ ...reading, olderFault: 'too-many' })).toContain('Wait a minute, then try again.');
  });

  it('keeps a place for the word that it could not be read again, so that nothing moves', () => {
    const empty = /<div class="[^"]*again[^"]*" role="status"><\/div>/;
    expect(html(known(staking))).toMatch(empty);
    expect(html({ ...known(staking), behind: { run: () => {}, running: false } })).not.toMatch(empty);
  });

  it('says that its transactions are not known yet while the history is being read', () => {
    const page = text(known({ ...staking, transactions: null }));
    expect(page).toContain('The history is still being read from the chain');
    expect(page).not.toContain('No transaction');
  });
});

describe('a wallet without a stake', () => {
  it('that has no history is told so, and shown no figure', () => {
    const page = text(known(nothing));
    expect(page).toContain('This wallet has no history here');
    expect(page).not.toMatch(/Stated Reward|0\.00/);
  });

  it('is not said to have none for certain while a transaction could not be read', () => {
    const transactions = { rows: [], next: null, isComplete: false };
    expect(text(known({ ...nothing, transactions }))).toContain('may be of this wallet');
  });

  it('is not said to have no history while that is being read', () => {
    expect(text(known({ ...nothing, transactions: null }))).not.toContain('no history');
  });

  it('that once had one is shown its movements', () => {
    const transactions = { rows: [row], next: null, isComplete: true };
    const page = text(known({ ...nothing, transactions }));
    expect(page).toContain('This wallet has no open stake.');
    expect(page).toContain('Transactions');
    expect(page).not.toContain('Stated reward');
  });
});

describe('a position that could not be read', () => {
  it('has a look of its own for each reason', () => {
    const faults = ['no-key', 'not-known', 'too-many', 'no-network', 'failed'] as const;
    const looks = faults.map((fault) => {
      expect(html(failed(fault))).toContain(`data-notice="${fault}"`);
      return text(failed(fault));
    });
    expect(new Set(looks).size).toBe(faults.length);
  });

  it('is read again on demand, but not where the address is none', () => {
    expect(html(failed('no-network'))).toContain('<button');
    expect(html(failed('no-key'))).not.toContain('<button');
  });

  it('never tells a figure, least of all zero', () => {
    expect(text(failed('not-known'))).not.toMatch(/\d/);
    expect(text({ kind: 'loading' })).not.toMatch(/\d/);
  });
});

describe('news of a wallet', () => {
  const change = (bodies: Record<string, unknown>) => ({ version: 1, bodies, announced: [], missing: [] });
  const of = (...rows: unknown[]) => newsOf(WALLET, change({ '/api/transactions': rows }));

  it('changes with its own movements and their status, and with those of no other', () => {
    expect(of(row)).not.toBe(of());
    expect(of(row)).not.toBe(of({ ...row, status: 'confirmed' }));
    expect(of(row)).toBe(of({ ...row, wallet: 'another', signature: 'x' }, row));
  });

  it('is not told of where a change holds no movements, or nonsense', () => {
    expect(newsOf(WALLET, change({ '/api/staking/total': {} }))).toBeNull();
    expect(newsOf(WALLET, change({ '/api/transactions': 'x' }))).toBeNull();
    expect(of(null, 7, { wallet: WALLET })).toBe('');
  });
});

describe('the tiers', () => {
  it('rise from none to the highest', () => {
    expect((['None', 'Duckling', 'Banker', 'Raven'] as const).map(tierRank)).toEqual([0, 1, 2, 3]);
  });
});
