import { tokensToBaseUnits } from '../../data/model/amounts.ts';
import { STAKE_ENTRY } from '../../data/model/stake-layout.ts';
import { decodeTokenAccount } from '../chain/accounts.ts';
import { BD_DECIMALS, HOLDER_NAMES, LEDGER, ledgerAddress } from './addresses.ts';
import type { LedgerChain } from './chain.ts';
import { LAMPORTS_PER_SOL } from './genesis.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';
import { bdAccountOf, sendAction, type WalletAction } from './transactions.ts';

const SHORTEST_PAUSE_MS = 3_000;
const LONGEST_PAUSE_MS = 8_000;
/** A wallet with fewer lamports gets an airdrop. */
const MIN_LAMPORTS = LAMPORTS_PER_SOL;
const REFILL_LAMPORTS = 20n * LAMPORTS_PER_SOL;

const bd = (whole: number): bigint => tokensToBaseUnits(BigInt(whole), BD_DECIMALS);

/** The demo's figures stay within these bounds, so that they do not drift over weeks. Amounts are base units of BD. */
export const ACTOR_BOUNDS = {
  vault: { low: bd(95_000_000), high: bd(105_000_000) },
  staked: { low: bd(18_000_000), high: bd(24_000_000) },
  stakerCount: { low: 8, high: 14 },
} as const;
const VAULT_MIDDLE = bd(100_000_000);
/** While less than this is staked, the actors stake large amounts. */
const STAKED_MIDDLE = bd(20_000_000);
/** Beyond this number of open stakes, new ones are rare, because every client that follows the pool reads all stakes. */
const SOFT_STAKE_LIMIT = 400;

/**
 * Starts the demo actors. Every few seconds one of the holders stakes, unstakes, deposits, withdraws or pays another holder
 * in a signed transaction. The actors keep all their state on the chain, so they can be restarted.
 *
 * @param options.seed the seed for the actors' random choices; by default the newest slot
 * @param options.report receives the error message of each failed action, after which the actors continue
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
    schedule();
  };
  const schedule = (): void => {
    timer = setTimeout(act, random.between(SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS));
  };
  schedule();
  return {
    stop: () => clearTimeout(timer),
  };
}

/** @returns the action that was sent, or null if the chosen one was not possible */
export function actOnce(chain: LedgerChain, random: SeededRandom): WalletAction | null {
  const action = chooseAction(readActorState(chain), random);
  if (action === null) return null;
  const payer = ledgerAddress(action.kind === 'withdraw' ? 'vault-owner' : action.wallet);
  if ((chain.account(payer)?.lamports ?? 0n) < MIN_LAMPORTS) chain.airdrop(payer, REFILL_LAMPORTS);
  sendAction(chain, action);
  return action;
}

/** Amounts are base units of BD. */
export interface ActorState {
  readonly vault: bigint;
  readonly staked: bigint;
  readonly stakerCount: number;
  readonly openStakeCount: number;
  readonly holders: readonly HolderState[];
}

interface HolderState {
  readonly name: string;
  readonly balance: bigint;
  readonly nextNonce: number;
  readonly openStakes: readonly {
    readonly nonce: number;
    readonly amount: bigint;
    readonly isUnlocked: boolean;
  }[];
}

export function readActorState(chain: LedgerChain): ActorState {
  const now = BigInt(chain.clock().unixTime);
  const nextNonceByWallet = new Map<string, number>();
  const openStakesByWallet = new Map<string, HolderState['openStakes'][number][]>();
  for (const [, account] of chain.programAccounts(LEDGER.stakeProgram)) {
    const entry = STAKE_ENTRY.decode(account.data);
    if (entry === null || entry.stakePool !== LEDGER.stakePool) continue;
    nextNonceByWallet.set(
      entry.authority,
      Math.max(nextNonceByWallet.get(entry.authority) ?? 0, entry.nonce + 1),
    );
    if (entry.closedAt !== 0n) continue;
    const stakes = openStakesByWallet.get(entry.authority) ?? [];
    openStakesByWallet.set(entry.authority, stakes);
    const isUnlocked = now >= entry.createdAt + entry.duration;
    stakes.push({ nonce: entry.nonce, amount: entry.amount, isUnlocked });
  }
  return {
    vault: tokenAmount(chain, LEDGER.vault),
    staked: tokenAmount(chain, LEDGER.stakeVault),
    stakerCount: openStakesByWallet.size,
    openStakeCount: [...openStakesByWallet.values()].reduce((sum, stakes) => sum + stakes.length, 0),
    holders: HOLDER_NAMES.map((name) => {
      const address = ledgerAddress(name);
      return {
        name,
        balance: tokenAmount(chain, bdAccountOf(address)),
        nextNonce: nextNonceByWallet.get(address) ?? 0,
        openStakes: openStakesByWallet.get(address) ?? [],
      };
    }),
  };
}

/** Base units in a token account; 0 if there is none. */
function tokenAmount(chain: LedgerChain, tokenAccount: string): bigint {
  const account = chain.account(tokenAccount);
  return account === null ? 0n : (decodeTokenAccount(account)?.amount ?? 0n);
}

/**
 * Chooses the next action at random. Returns null if that action is not possible, for example because it would exceed
 * `ACTOR_BOUNDS`. Deposits and withdrawals pull the vault toward the middle of its bounds.
 */
export function chooseAction(state: ActorState, random: SeededRandom): WalletAction | null {
  const roll = random.next();
  if (roll < 0.07) return chooseStake(state, random);
  if (roll < 0.12) return chooseUnstake(state, random);
  if (roll < 0.34) return chooseTransfer(state, random);
  const isDeposit = random.next() < (state.vault < VAULT_MIDDLE ? 0.57 : 0.43);
  return isDeposit ? chooseDeposit(state, random) : chooseWithdrawal(state, random);
}

function chooseStake(state: ActorState, random: SeededRandom): WalletAction | null {
  if (random.next() > Math.max(0.05, 1 - state.openStakeCount / SOFT_STAKE_LIMIT)) return null;
  const isLarge = state.staked < STAKED_MIDDLE;
  const amount = isLarge ? randomAmount(random, 5_000, 250_000) : randomAmount(random, 25, 900);
  if (state.staked + amount > ACTOR_BOUNDS.staked.high) return null;
  const mayJoin = state.stakerCount < ACTOR_BOUNDS.stakerCount.high;
  const candidates = state.holders.filter((holder) => holder.openStakes.length > 0 || mayJoin);
  const holder = pickSolventHolder(candidates, amount, random);
  return holder === null ? null : { kind: 'stake', wallet: holder.name, nonce: holder.nextNonce, amount };
}

function chooseUnstake(state: ActorState, random: SeededRandom): WalletAction | null {
  const possible = state.holders.flatMap((holder) =>
    holder.openStakes
      .filter((stake) => {
        const stakersAfter = state.stakerCount - (holder.openStakes.length === 1 ? 1 : 0);
        const stakedAfter = state.staked - stake.amount;
        return (
          stake.isUnlocked &&
          stakersAfter >= ACTOR_BOUNDS.stakerCount.low &&
          stakedAfter >= ACTOR_BOUNDS.staked.low
        );
      })
      .map((stake) => ({ kind: 'unstake', wallet: holder.name, nonce: stake.nonce }) as const),
  );
  return possible.length === 0 ? null : random.pick(possible);
}

function chooseDeposit(state: ActorState, random: SeededRandom): WalletAction | null {
  const amount = randomAmount(random, 200, 40_000);
  if (state.vault + amount > ACTOR_BOUNDS.vault.high) return null;
  const holder = pickSolventHolder(state.holders, amount, random);
  return holder === null ? null : { kind: 'deposit', wallet: holder.name, amount };
}

function chooseWithdrawal(state: ActorState, random: SeededRandom): WalletAction | null {
  const amount = randomAmount(random, 200, 40_000);
  if (state.vault - amount < ACTOR_BOUNDS.vault.low) return null;
  return { kind: 'withdraw', wallet: random.pick(state.holders).name, amount };
}

function chooseTransfer(state: ActorState, random: SeededRandom): WalletAction | null {
  const amount = randomAmount(random, 50, 20_000);
  const holder = pickSolventHolder(state.holders, amount, random);
  if (holder === null) return null;
  const others = state.holders.filter((other) => other.name !== holder.name);
  return { kind: 'transfer', wallet: holder.name, to: random.pick(others).name, amount };
}

function pickSolventHolder(
  holders: readonly HolderState[],
  amount: bigint,
  random: SeededRandom,
): HolderState | null {
  const solvent = holders.filter((holder) => holder.balance >= amount);
  return solvent.length === 0 ? null : random.pick(solvent);
}

/** A random amount in base units, from `low` to `high` BD. Each order of magnitude is equally likely; 40 % have decimals. */
function randomAmount(random: SeededRandom, low: number, high: number): bigint {
  const amount = low * (high / low) ** random.next();
  const cents = random.next() < 0.4 ? Math.round(amount * 100) : Math.round(amount) * 100;
  return BigInt(cents) * 10n ** BigInt(BD_DECIMALS - 2);
}
