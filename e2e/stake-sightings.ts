import type { Page } from 'playwright/test';
import { asShown, dashboardPage } from './dashboard-page.ts';

/** A stake on its way to the ledger, and what the chain says once it is there. Amounts are decimal text. */
export interface SentStake {
  readonly amount: string;
  readonly wallet: string;
  /** What the wallet stakes in all. */
  readonly walletStaked: string;
  /** What all wallets stake. */
  readonly totalStaked: string;
}

/** A place in which every stake has to appear without a reload. */
export interface StakeSighting {
  readonly name: string;
  /** The page that is open while stakes are sent. */
  readonly path: string;
  /** Answers as soon as the page shows the stake, and rejects where it does not in `timeout` ms. */
  readonly seen: (page: Page, stake: SentStake, timeout: number) => Promise<void>;
}

/** Every place that shows a stake: one entry a screen. */
export const STAKE_SIGHTINGS: readonly StakeSighting[] = [
  {
    name: 'Total Staked of the dashboard',
    path: '/',
    seen: (page, { totalStaked }, timeout) =>
      dashboardPage(page)
        .tile('Total Staked')
        .filter({ hasText: asShown(totalStaked) })
        .waitFor({ timeout }),
  },
  {
    name: 'staker list of the enhanced analytics',
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
