import type { Engine } from './engine.ts';
import { HISTORY_DAYS, type PastEvent, planHistory } from './history-plan.ts';
import { depositWire, stakeWire, transferWire, unstakeWire, withdrawWire } from './transactions.ts';
import { ledgerAddress, ledgerKeypair } from './wallets.ts';

/** How long before the start the ledger's past begins. */
export const HISTORY_MILLISECONDS = HISTORY_DAYS * 86_400_000;

/**
 * Plays the past through signed transactions, each in its own time.
 *
 * @param at sets the engine's clock to milliseconds after the genesis
 */
export function writeHistory(engine: Engine, at: (moment: number) => void): void {
  for (const event of planHistory()) {
    at(event.at * 1000);
    const outcome = engine.send(wireOf(event, engine.latestBlockhash().blockhash), { skipPreflight: false });
    if (outcome.kind === 'accepted') continue;
    const reason = outcome.kind === 'malformed' ? outcome.reason : JSON.stringify(outcome.err);
    throw new Error(`The ledger's past failed: ${event.kind} by ${event.wallet} at ${event.at} s: ${reason}`);
  }
}

function wireOf(event: PastEvent, blockhash: string): Uint8Array {
  const wallet = ledgerKeypair(event.wallet);
  switch (event.kind) {
    case 'stake':
      return stakeWire(wallet, event, blockhash);
    case 'unstake':
      return unstakeWire(wallet, event, blockhash);
    case 'deposit':
      return depositWire(wallet, event, blockhash);
    case 'withdraw':
      return withdrawWire({ to: ledgerAddress(event.wallet), amount: event.amount }, blockhash);
    case 'transfer':
      return transferWire(wallet, { to: ledgerAddress(event.to), amount: event.amount }, blockhash);
  }
}
