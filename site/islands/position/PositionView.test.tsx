import { describe, expect, it } from 'vitest';
import type { WalletPosition } from '../../../data/contract/position.ts';
import { POSITION_INTERVAL_MS, type PositionError } from '../../data/position-query.ts';
import { $lastReads } from '../../data/source-freshness.ts';
import { $now } from '../../data/ticking-clock.ts';
import { walletMovements } from '../../data/wallet-movements.ts';
import { htmlOf, textOf } from '../testing/render.ts';
import { SAMPLE_TRANSACTION as row, SAMPLE_WALLET, samplePosition } from '../testing/samples.ts';
import { explorerLink } from '../ui/explorer-link.ts';
import PositionView from './PositionView.tsx';
import { unlockCalendarFile } from './Stakes.tsx';
import type { PositionReading } from './use-position.ts';

describe('the calendar event for the end of a lock', () => {
  const stake = {
    entry: 'CMp9cLkTeNb2Hc1vsP2JJQvkc4eHDmiuayXiKnSpsAH4',
    amount: '1500000.25',
    startDate: '2026-11-21T16:02:48.000Z',
    unlockDate: '2027-05-20T16:02:48.000Z',
    openedBy: null,
  };

  it('is at the unlock time, with a stable id for each stake', () => {
    const { fileName, text } = unlockCalendarFile(stake, SAMPLE_WALLET, Date.UTC(2026, 10, 21));
    expect(fileName).toBe('bd-unlock-2027-05-20.ics');
    expect(text).toContain('\r\nDTSTART:20270520T160248Z\r\n');
    expect(text).toContain('\r\nSUMMARY:BD stake unlocks: 1\\,500\\,000.25 BD\r\n');
    const [uid = ''] = /UID:.+/.exec(text) ?? [];
    const laterCalendar = (entry: string) =>
      unlockCalendarFile({ ...stake, entry }, SAMPLE_WALLET, Date.UTC(2026, 11, 1));
    expect(laterCalendar(stake.entry).text).toContain(uid);
    expect(laterCalendar('another').text).not.toContain(uid);
  });
});

const stakingPosition = samplePosition();
const positionWithoutStake: WalletPosition = {
  ...stakingPosition,
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

const knownReading = (position: WalletPosition): Extract<PositionReading, { kind: 'known' }> => ({
  kind: 'known',
  position,
  refresh: null,
});
const failedReading = (failure: PositionError): PositionReading => ({
  kind: 'failed',
  failure,
  retry: () => {},
  isRetrying: false,
});
const link = explorerLink('https://e.example', 'mainnet-beta');
const view = (reading: PositionReading) => (
  <PositionView wallet={SAMPLE_WALLET} link={link} reading={reading} />
);
const html = (reading: PositionReading) => htmlOf(view(reading));
const text = (reading: PositionReading) => textOf(view(reading));
const changedReading = (fields: Partial<WalletPosition>, position = stakingPosition) =>
  knownReading({ ...position, ...fields });

describe('the position of a wallet that stakes', () => {
  const page = text(knownReading(stakingPosition));

  it('shows its stake, its tier and the amount for the next tier', () => {
    expect(page).toContain('Staked 1,500,000 .25 BD In one stake');
    expect(page).toContain('Card Tier Duckling Silver badge');
    expect(page).toContain('Needed for Banker 3,499,999 .75 BD Banker starts at 5,000,000.00 BD');
    expect(page).toMatch(/169 d 23 h 59 min|170 d 0 h 0 min/);
    const nextTier = { tier: 'Banker', minimumStake: '5000000', missing: '0.000001' } as const;
    expect(text(changedReading({ nextTier }))).toContain('Needed for Banker 0.000001 BD');
  });

  it('explains its tier and its badge, and what other tiers and badges need', () => {
    expect(page).toMatch(/Card tier by stake: Duckling.*whitelisted.*Duckling from 1,500,000 BD This wallet/);
    expect(page).toMatch(
      /Banker from 5,000,000 BD 3,499,999\.75 BD more Raven from 7,500,000 BD 5,999,999\.75 BD/,
    );
    expect(page).toMatch(/Badge: Silver.*list of stakers.*no rights.*Silver from 1,500,000 BD This wallet/);
    expect(page).toMatch(/Diamond from 10,000,000 BD 8,499,999\.75 BD more/);
    const banker = text(changedReading({ staked: '5000000', tier: 'Banker', badge: 'Gold' }));
    expect(banker).toContain('Duckling from 1,500,000 BD Reached Banker from 5,000,000 BD This wallet');
    expect(banker).toContain('Silver from 1,500,000 BD Reached Gold from 5,000,000 BD This wallet');
  });

  it('shows the formula of the reward with the lock', () => {
    expect(page).toContain('1,500,000.25 BD × 88.7% × 180 ÷ 365 = 656,137.10 BD');
    expect(page).toContain('set by the project');
    expect(page).toContain('180 days');
  });

  it('counts its age from the last read of the position, not from other reads of the chain', () => {
    $lastReads.set({ chain: $now.get(), market: null });
    const htmlAtAge = (ageMs: number) =>
      html(changedReading({ asOf: new Date($now.get() - ageMs).toISOString() }));
    expect(htmlAtAge(2 * POSITION_INTERVAL_MS)).toContain('data-state="live"');
    expect(htmlAtAge(2 * POSITION_INTERVAL_MS + 1)).toContain('data-state="ageing"');
    expect(htmlAtAge(3 * POSITION_INTERVAL_MS + 1)).toContain('data-state="stale"');
    $lastReads.set({ chain: null, market: null });
    const reading = { ...knownReading(stakingPosition), refresh: { run: () => {}, running: false } };
    expect(html(reading)).toContain('data-warning="outdated"');
  });

  it('links the stake to the transaction that opened it', () => {
    expect(html(knownReading(stakingPosition))).toContain(`href="https://e.example/tx/${row.signature}"`);
  });

  it('has no next tier at the highest tier', () => {
    expect(text(changedReading({ tier: 'Raven', nextTier: null }))).toContain('Next Tier None');
  });

  it('warns if a transaction could not be read', () => {
    const transactions = { rows: [row], next: null, isComplete: false };
    expect(html(changedReading({ transactions }))).toContain('data-warning="incomplete"');
  });

  it('reserves space for the warning', () => {
    const emptyWarning = /<div class="[^"]*outdated[^"]*" role="status"><\/div>/;
    expect(html(knownReading(stakingPosition))).toMatch(emptyWarning);
    expect(
      html({ ...knownReading(stakingPosition), refresh: { run: () => {}, running: false } }),
    ).not.toMatch(emptyWarning);
  });

  it('shows no empty table while the history loads', () => {
    const page = html(changedReading({ transactions: null }));
    expect(page).toContain('id="position-history"');
    expect(page).not.toContain('<table');
  });
});

describe('a wallet without a stake', () => {
  it('has a link to the stake form instead of figures if it has no history', () => {
    expect(html(knownReading(positionWithoutStake))).toContain('data-notice="no-history"');
    expect(html(knownReading(positionWithoutStake))).toContain('href="/staking#stake"');
    expect(text(knownReading(positionWithoutStake))).not.toMatch(/Stated Reward|0\.00/);
  });

  it('shows the age of its data even without a history, and offers a retry after a failed update', () => {
    const asOf = new Date($now.get() - 3_600_000).toISOString();
    const reading = changedReading({ asOf }, positionWithoutStake);
    expect(html(reading)).toContain('data-state="stale"');
    expect(html(reading)).not.toContain('<button');
    expect(html({ ...reading, refresh: { run: () => {}, running: false } })).toContain('<button');
  });

  it('has a notice that its history may be incomplete if a transaction could not be read', () => {
    const transactions = { rows: [], next: null, isComplete: false };
    expect(html(changedReading({ transactions }, positionWithoutStake))).toContain('data-complete="false"');
  });

  it('shows no notice of a missing history while the history loads', () => {
    expect(html(changedReading({ transactions: null }, positionWithoutStake))).not.toContain('no-history');
  });

  it('shows its history if it staked before', () => {
    const reading = changedReading({ transactions: stakingPosition.transactions }, positionWithoutStake);
    expect(html(reading)).toContain('data-notice="no-stake"');
    expect(html(reading)).toContain('id="position-history"');
    expect(text(reading)).not.toContain('Stated reward');
  });
});

describe('a position that could not be read', () => {
  it('has a different notice for each error', () => {
    const failures = ['invalid-address', 'not-known', 'too-many', 'no-network', 'failed'] as const;
    const texts = failures.map((failure) => {
      expect(html(failedReading(failure))).toContain(`data-notice="${failure}"`);
      return text(failedReading(failure));
    });
    expect(new Set(texts).size).toBe(failures.length);
  });

  it('offers a retry unless the address is invalid', () => {
    expect(html(failedReading('no-network'))).toContain('<button');
    expect(html(failedReading('invalid-address'))).not.toContain('<button');
  });

  it('shows no figure', () => {
    expect(text(failedReading('not-known'))).not.toMatch(/\d/);
    expect(text({ kind: 'loading' })).not.toMatch(/\d/);
  });
});

describe('the comparison string for a wallet’s movements', () => {
  const movementsIn = (...rows: unknown[]) => walletMovements(SAMPLE_WALLET, rows);

  it('changes only with the wallet’s own movements and their status', () => {
    expect(movementsIn(row)).not.toBe(movementsIn());
    expect(movementsIn(row)).not.toBe(movementsIn({ ...row, status: 'confirmed' }));
    expect(movementsIn(row)).toBe(movementsIn({ ...row, wallet: 'another', signature: 'x' }, row));
  });

  it('is null without a list of transactions', () => {
    expect(walletMovements(SAMPLE_WALLET, undefined)).toBeNull();
    expect(walletMovements(SAMPLE_WALLET, 'x')).toBeNull();
    expect(movementsIn()).toBe('');
  });
});
