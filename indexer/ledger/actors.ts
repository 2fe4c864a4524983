import { type ActorAction, chooseAction } from './actor-choice.ts';
import { readActorState } from './actor-state.ts';
import type { LedgerChain } from './chain.ts';
import { SOL } from './genesis.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';
import { depositWire, stakeWire, transferWire, unstakeWire, withdrawWire } from './transactions.ts';
import { ledgerAddress, ledgerKeypair } from './wallets.ts';

/** Milliseconds between two actions. */
const SHORTEST_PAUSE = 3_000;
const LONGEST_PAUSE = 8_000;
/** A wallet with less gets more from the faucet. */
const LEAST_LAMPORTS = SOL;
const REFILL_LAMPORTS = 20n * SOL;

/**
 * Demo actors: every few seconds one of the named wallets stakes, unstakes, deposits, withdraws or pays another, through
 * a signed transaction like any other. They know nothing but the chain, so a restart changes nothing, and no failure
 * stops them.
 *
 * @param options.seed of their choices; the newest slot unless given
 * @param options.report is told of actions that failed
 */
export function startActors(
  chain: LedgerChain,
  options: { readonly seed?: number; readonly report: (text: string) => void },
): { stop(): void } {
  const random = seededRandom(options.seed ?? chain.clock().slot);
  let timer: NodeJS.Timeout;
  const act = (): void => {
    try {
      actOnce(chain, random);
    } catch (error) {
      options.report(`a demo actor failed: ${error instanceof Error ? error.message : String(error)}`);
    }
    plan();
  };
  const plan = (): void => {
    timer = setTimeout(act, random.between(SHORTEST_PAUSE, LONGEST_PAUSE));
  };
  plan();
  return {
    stop() {
      clearTimeout(timer);
    },
  };
}

/** Chooses one action and sends it; answers it, or null where there was none. Throws where the ledger refuses it. */
export function actOnce(chain: LedgerChain, random: SeededRandom): ActorAction | null {
  const action = chooseAction(readActorState(chain), random);
  if (action === null) return null;
  const payer = ledgerAddress(action.kind === 'withdraw' ? 'vault-owner' : action.wallet);
  if ((chain.account(payer)?.lamports ?? 0n) < LEAST_LAMPORTS) chain.airdrop(payer, REFILL_LAMPORTS);
  const outcome = chain.send(wireOf(action, chain.latestBlockhash().blockhash), { skipPreflight: false });
  if (outcome.kind === 'accepted') return action;
  const reason = outcome.kind === 'malformed' ? outcome.reason : JSON.stringify(outcome.err);
  throw new Error(`${action.kind} by ${action.wallet}: ${reason}`);
}

function wireOf(action: ActorAction, blockhash: string): Uint8Array {
  const wallet = ledgerKeypair(action.wallet);
  switch (action.kind) {
    case 'stake':
      return stakeWire(wallet, action, blockhash);
    case 'unstake':
      return unstakeWire(wallet, action, blockhash);
    case 'deposit':
      return depositWire(wallet, action, blockhash);
    case 'withdraw':
      return withdrawWire({ to: ledgerAddress(action.wallet), amount: action.amount }, blockhash);
    case 'transfer':
      return transferWire(wallet, { to: ledgerAddress(action.to), amount: action.amount }, blockhash);
  }
}
