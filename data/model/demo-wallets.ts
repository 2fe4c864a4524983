/*
 * Wallets on the embedded ledger that visitors can use to try the portal. Their keys are public, so they hold nothing of value.
 * The seed of a key is the SHA-256 of this prefix and the wallet's name.
 */
export const LEDGER_SEED_PREFIX = 'blackduck-ledger:';

export interface DemoWallet {
  readonly name: string;
  readonly label: string;
  /** Whole BD staked when the ledger starts. */
  readonly stakedBd: bigint;
  /** Whole BD in the wallet, not staked. */
  readonly heldBd: bigint;
  /** Whole SOL, for transaction fees. */
  readonly sol: bigint;
}

/**
 * Two wallets with stakes that earn tiers, one with too small a stake, one with only unstaked BD, and one with nothing.
 */
export const DEMO_WALLETS: readonly DemoWallet[] = [
  { name: 'demo-banker', label: 'Banker stake', stakedBd: 6_200_000n, heldBd: 1_500_000n, sol: 5n },
  { name: 'demo-duckling', label: 'Duckling stake, exactly', stakedBd: 1_500_000n, heldBd: 50_000n, sol: 5n },
  { name: 'demo-short', label: 'One BD short', stakedBd: 1_499_999n, heldBd: 10n, sol: 5n },
  { name: 'demo-holder', label: 'Held, not staked', stakedBd: 0n, heldBd: 2_000_000n, sol: 5n },
  { name: 'demo-empty', label: 'Empty', stakedBd: 0n, heldBd: 0n, sol: 0n },
];
