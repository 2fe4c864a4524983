import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { toCsv } from '../../../data/model/csv.ts';
import type { FigureBodies } from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import { PremiumTable } from './PremiumTable.tsx';
import { StakersTable } from './StakersTable.tsx';
import { stakerRows } from './staker-row.ts';
import { stakersPlan } from './stakers-plan.tsx';

const DAY = 86_400_000;
const at = (days: number) => new Date(Date.now() + days * DAY).toISOString();
const staker = (wallet: string, amount: string, days = 90) => ({
  wallet,
  amount,
  signature: null,
  startDate: at(days - 180),
  unlockDate: at(days),
});
const [small, silver, raven] = [
  staker('A'.repeat(40), '1499999.999999'),
  staker('B'.repeat(40), '1500000', -1),
  staker('C'.repeat(40), '10000000'),
];
const stakers = [small, silver, raven].filter((one) => one !== undefined);

const text = (html: string) =>
  html
    .replaceAll('<!-- -->', '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

type Transfers = FigureBodies['/api/staking/transfers'];
const known = (rows: Transfers['stakers']): Reading<Transfers> => ({
  kind: 'known',
  body: {
    totalStakers: rows.length,
    totalStaked: '1',
    stakers: rows,
    ended: [],
    asOf: new Date().toISOString(),
    slot: 1,
    source: 'solana',
    state: 'live',
  },
});
const html = (reading: Reading<Transfers>) => renderToString(<StakersTable link={null} reading={reading} />);

describe('the active stakers', () => {
  it('come with the largest stake first, each with its badge, and none below the least', () => {
    const page = text(html(known(stakers)));
    expect(page).toMatch(/Diamond 10,000,000\.00 .*Silver 1,500,000\.00 .*No badge 1,499,999\.99/);
  });

  it('are locked until their unlock date, and Unlocked from then on', () => {
    const page = text(html(known(stakers)));
    expect(page).toMatch(/(89 d 23 h 59|90 d 0 h 0) min/);
    expect(page.match(/Unlocked/g)).toHaveLength(1);
    expect(html(known(stakers))).toContain('value="100"');
  });

  it('say in their headings by what they are ordered', () => {
    const page = html(known(stakers));
    expect(page.match(/aria-sort="descending"/g)).toHaveLength(1);
    expect(page).not.toContain('aria-sort="ascending"');
    expect(page).toContain('<caption');
  });

  it('are ten a page', () => {
    const many = Array.from({ length: 31 }, (_, at) => staker(`W${at}`.padEnd(40, 'x'), '5'));
    const page = html(known(many));
    expect(page.match(/<th scope="row"/g)).toHaveLength(10);
    expect(text(page)).toContain('1–10 of 31');
  });

  it('are told apart: being read, none, not known yet, and failed', () => {
    const looks = (
      [
        { kind: 'loading' },
        known([]),
        { kind: 'unknown' },
        { kind: 'failed', retry: () => {}, retrying: false },
      ] as const
    ).map(html);
    expect(new Set(looks).size).toBe(4);
    expect(looks[1]).toContain('No wallet stakes BD at the moment.');
    expect(looks[3]).toContain('Retry');
  });

  it('are saved with exact amounts and moments', () => {
    const { csv } = stakersPlan(null);
    const [line = ''] = toCsv(csv.header, stakerRows(stakers).map(csv.cells)).split('\r\n').slice(1);
    expect(line).toContain(',,1499999.999999,');
    expect(line).toContain(stakers[0]?.unlockDate);
  });
});

describe('the premium authenticated stakers', () => {
  const row = (walletAddress: string, isAuthenticated: boolean) => ({
    walletAddress,
    stakedAmount: '5000000',
    tier: 'Gold' as const,
    cardTier: 'Banker' as const,
    isAuthenticated,
    stakingDuration: 1,
    transactionCount: null,
    startDate: at(-1),
    unlockDate: at(179),
    entries: 1,
  });
  const premium = (...body: ReturnType<typeof row>[]) =>
    text(renderToString(<PremiumTable link={null} reading={{ kind: 'known', body }} />));

  it('are those alone that proved their wallet', () => {
    const page = premium(row('A'.repeat(40), true), row('N'.repeat(40), false));
    expect(page).toContain('AAAA…AAAA');
    expect(page).not.toContain('NNNN');
    expect(page).toContain('1 day ');
  });

  it('leave the number of transactions a dash while it is not known', () => {
    expect(premium(row('A'.repeat(40), true))).toContain('— The history is being read');
  });

  it('are said to be none where nobody proved one', () => {
    expect(premium(row('N'.repeat(40), false))).toContain('No staker has proved');
  });
});
