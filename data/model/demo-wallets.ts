/**
 * Wallets of the embedded ledger with which visitors can try the portal. Their keys are public: each is derived from the
 * wallet's name. Nothing in them has a value.
 */

/** The prefix of a wallet's name; SHA-256 of both is the seed of its key. */
export const LEDGER_SEED_PREFIX = 'blackduck-ledger:';

export interface DemoWallet {
  /** The name from which its key is derived. */
  readonly name: string;
  readonly label: string;
  /** Whole BD staked at the start of the ledger. */
  readonly stakedBd: bigint;
  /** Whole unstaked BD in the wallet. */
  readonly heldBd: bigint;
  /** Whole SOL, for the fees of transactions. */
  readonly sol: bigint;
}

/** One wallet for each outcome of a stake check. */
export const DEMO_WALLETS: readonly DemoWallet[] = [
  { name: 'demo-banker', label: 'Banker stake', stakedBd: 6_200_000n, heldBd: 1_500_000n, sol: 5n },
  { name: 'demo-duckling', label: 'Duckling stake, exactly', stakedBd: 1_500_000n, heldBd: 50_000n, sol: 5n },
  { name: 'demo-short', label: 'One BD short', stakedBd: 1_499_999n, heldBd: 10n, sol: 5n },
  { name: 'demo-holder', label: 'Held, not staked', stakedBd: 0n, heldBd: 2_000_000n, sol: 5n },
  { name: 'demo-empty', label: 'Empty', stakedBd: 0n, heldBd: 0n, sol: 0n },
];
