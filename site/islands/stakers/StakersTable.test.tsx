import { describe, expect, it } from 'vitest';
import { toCsv } from '../../../data/model/csv.ts';
import type { Reading } from '../../data/figure-query.ts';
import type { FigureBodies } from '../../data/figure-strategies.ts';
import { htmlOf, textOf } from '../testing/render.ts';
import { chainReadFields, FAILED, knownReading } from '../testing/samples.ts';
import { PremiumTable, premiumSpec, StakersTable, stakersSpec } from './StakersTable.tsx';

const DAY_MS = 86_400_000;
const timeInDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
const staker = (wallet: string, amount: string, days = 90) => ({
  wallet,
  amount,
  signature: null,
  startDate: timeInDays(days - 180),
  unlockDate: timeInDays(days),
});
const stakers = [
  staker('A'.repeat(40), '1499999.999999'),
  staker('B'.repeat(40), '1500000', -1),
  staker('C'.repeat(40), '10000000'),
];

type TransfersBody = FigureBodies['/api/staking/transfers'];
const readingOf = (rows: TransfersBody['stakers']): Reading<TransfersBody> =>
  knownReading({
    totalStakers: rows.length,
    totalStaked: '1',
    stakers: rows,
    ended: [],
    ...chainReadFields(),
  });
const table = (reading: Reading<TransfersBody>) => <StakersTable link={null} reading={reading} />;

describe('the active stakers', () => {
  it('are ordered by stake, with their badges', () => {
    const page = textOf(table(readingOf(stakers)));
    expect(page).toMatch(/Diamond 10,000,000\.00 .*Silver 1,500,000\.00 .*No badge 1,499,999\.99/);
  });

  it('show the time left on their lock, and “Unlocked” once it has ended', () => {
    const page = textOf(table(readingOf(stakers)));
    expect(page).toMatch(/(89 d 23 h 59|90 d 0 h 0) min/);
    expect(page.match(/Unlocked/g)).toHaveLength(1);
    expect(htmlOf(table(readingOf(stakers)))).toContain('value="100"');
  });

  it('are shown ten per page', () => {
    const manyStakers = Array.from({ length: 31 }, (_, index) => staker(`W${index}`.padEnd(40, 'x'), '5'));
    const page = table(readingOf(manyStakers));
    expect(htmlOf(page).match(/<th scope="row"/g)).toHaveLength(10);
    expect(textOf(page)).toContain('1–10 of 31');
  });

  it.each<[string, Reading<TransfersBody>]>([
    ['empty', readingOf([])],
    ['unknown', { kind: 'unknown' }],
    ['failed', FAILED],
  ])('have the notice “%s” instead of a table, with a retry only after a failed read', (notice, reading) => {
    const page = htmlOf(table(reading));
    expect(page).toContain(`data-notice="${notice}"`);
    expect(page).not.toContain('<table');
    expect(page.includes('<button')).toBe(notice === 'failed');
  });

  it('are placeholders while they load', () => {
    expect(htmlOf(table({ kind: 'loading' }))).toContain('aria-busy="true"');
  });

  it('are exported with exact amounts and times', () => {
    const { csv } = stakersSpec(null);
    const [line = ''] = toCsv(csv.header, stakers.map(csv.cells)).split('\r\n').slice(1);
    expect(line).toContain(',,1499999.999999,');
    expect(line).toContain(stakers[0]?.unlockDate);
  });
});

describe('the premium authenticated stakers', () => {
  const row = (walletAddress: string, isAuthenticated: boolean, daysStaked = 9) => ({
    walletAddress,
    stakedAmount: '5000000',
    tier: 'Gold' as const,
    cardTier: 'Banker' as const,
    isAuthenticated,
    stakingDuration: 0,
    transactionCount: null,
    startDate: timeInDays(-daysStaked - 0.5),
    unlockDate: timeInDays(179.5 - daysStaked),
    entries: 1,
  });
  const premiumTable = (...body: ReturnType<typeof row>[]) => (
    <PremiumTable link={null} reading={knownReading(body)} />
  );

  it('are only those with a proven or whitelisted wallet', () => {
    const page = textOf(premiumTable(row('A'.repeat(40), true), row('N'.repeat(40), false)));
    expect(page).toContain('AAAA…AAAA');
    expect(page).not.toContain('NNNN');
  });

  it('show and export the days staked until now, even if the list was read days ago', () => {
    const oldRows = [row('A'.repeat(40), true, 1), row('B'.repeat(40), true, 2)];
    expect(textOf(premiumTable(...oldRows))).toMatch(/AAAA.* 1 day .*BBBB.* 2 days /);
    const { csv } = premiumSpec(null);
    const daysColumn = csv.header.indexOf('Days staked');
    expect(oldRows.map((staker) => csv.cells(staker)[daysColumn])).toEqual(['1', '2']);
  });

  it('have a dash for an unknown number of transactions', () => {
    expect(htmlOf(premiumTable(row('A'.repeat(40), true)))).toContain('>—<');
  });

  it('have no table while no wallet is proven or whitelisted', () => {
    expect(htmlOf(premiumTable(row('N'.repeat(40), false)))).not.toContain('<table');
  });
});
