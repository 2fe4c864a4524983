/**
 * Wallets of the embedded ledger that visitors may try the portal with. Their keys are public: each is made from the
 * wallet's name, so that anyone can sign with it, and nothing they hold has a value.
 */

/** What the name of a wallet of the embedded ledger is prefixed with before it is hashed (SHA-256) into its key's seed. */
export const LEDGER_SEED_PREFIX = 'blackduck-ledger:';

export interface DemoWallet {
  /** The name that its key is made from. */
  readonly name: string;
  readonly label: string;
  /** Whole BD staked when the ledger begins. */
  readonly stakedBd: bigint;
  /** Whole BD in the wallet beside it. */
  readonly heldBd: bigint;
  /** Whole SOL, for the fees of transactions. */
  readonly sol: bigint;
}

/** The wallets that the demo wallet offers: one for each answer that a check of a stake can have. */
export const DEMO_WALLETS: readonly DemoWallet[] = [
  { name: 'demo-banker', label: 'Banker stake', stakedBd: 6_200_000n, heldBd: 1_500_000n, sol: 5n },
  { name: 'demo-duckling', label: 'Duckling stake, exactly', stakedBd: 1_500_000n, heldBd: 50_000n, sol: 5n },
  { name: 'demo-short', label: 'One BD short', stakedBd: 1_499_999n, heldBd: 10n, sol: 5n },
  { name: 'demo-holder', label: 'Held, not staked', stakedBd: 0n, heldBd: 2_000_000n, sol: 5n },
  { name: 'demo-empty', label: 'Empty', stakedBd: 0n, heldBd: 0n, sol: 0n },
];
