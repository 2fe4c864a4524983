import type { Page } from 'playwright/test';
import { asShown, dashboardPage } from './dashboard-page.ts';

/** A sent stake, with the chain's figures after it. Amounts are decimal strings. */
interface SentStake {
  readonly amount: string;
  readonly wallet: string;
  /** The wallet's total stake. */
  readonly walletStaked: string;
  /** The total stake of all wallets. */
  readonly totalStaked: string;
}

/** A screen on which every stake must appear without a reload. */
interface StakeSighting {
  readonly name: string;
  /** The page that is open while stakes are sent. */
  readonly path: string;
  /** Resolves when the page shows the stake; rejects after `timeout` ms. */
  readonly seen: (page: Page, stake: SentStake, timeout: number) => Promise<void>;
}

/** Every screen that shows a stake. */
export const STAKE_SIGHTINGS: readonly StakeSighting[] = [
  {
    name: 'Total Staked on the dashboard',
    path: '/',
    seen: (page, { totalStaked }, timeout) =>
      dashboardPage(page)
        .tile('Total Staked')
        .filter({ hasText: asShown(totalStaked) })
        .waitFor({ timeout }),
  },
  {
    name: 'staker list in enhanced analytics',
    path: '/enhanced-analytics',
    seen: (page, { wallet, walletStaked }, timeout) =>
      page
        .getByRole('region', { name: 'Active stakers', exact: true })
        .getByRole('row')
        .filter({ has: page.getByTitle(wallet, { exact: true }) })
        .filter({ hasText: asShown(walletStaked) })
        .waitFor({ timeout }),
  },
  {
    name: 'Vault Staking Activity',
    path: '/',
    seen: (page, { amount }, timeout) =>
      dashboardPage(page)
        .feedRows()
        .filter({ hasText: `+${asShown(amount)}` })
        .waitFor({ timeout }),
  },
];
