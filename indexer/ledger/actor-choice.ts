import { wholeTokens } from '../../data/model/amounts.ts';
import type { ActorState, HolderState } from './actor-state.ts';
import { BD_DECIMALS } from './addresses.ts';
import type { SeededRandom } from './seeded-random.ts';

/** What a demo actor does next. Amounts are base units of BD. */
export type ActorAction =
  | { readonly kind: 'stake'; readonly wallet: string; readonly nonce: number; readonly amount: bigint }
  | { readonly kind: 'unstake'; readonly wallet: string; readonly nonce: number }
  | { readonly kind: 'deposit' | 'withdraw'; readonly wallet: string; readonly amount: bigint }
  | { readonly kind: 'transfer'; readonly wallet: string; readonly to: string; readonly amount: bigint };

const bd = (whole: number): bigint => wholeTokens(BigInt(whole), BD_DECIMALS);

/** The figures stay within these, so that the demonstration looks the same after weeks. */
export const ACTOR_BOUNDS = {
  vault: { low: bd(95_000_000), high: bd(105_000_000) },
  staked: { low: bd(18_000_000), high: bd(24_000_000) },
  stakers: { low: 8, high: 14 },
} as const;

const VAULT_MIDDLE = bd(100_000_000);
/** Below this the actors stake large amounts again. */
const STAKED_MIDDLE = bd(20_000_000);
/** Open stakes beyond which new ones become rare: each is an account that everyone who follows the pool reads. */
const MANY_STAKES = 400;

/**
 * Chooses the next action, or none where chance picks one that would leave the bounds or nobody can afford. Deposits and
 * withdrawals pull the vault to the middle of its bounds.
 */
export function chooseAction(state: ActorState, random: SeededRandom): ActorAction | null {
  const roll = random.next();
  if (roll < 0.07) return chooseStake(state, random);
  if (roll < 0.12) return chooseUnstake(state, random);
  if (roll < 0.34) return chooseTransfer(state, random);
  const isDeposit = random.next() < (state.vault < VAULT_MIDDLE ? 0.57 : 0.43);
  return isDeposit ? chooseDeposit(state, random) : chooseWithdrawal(state, random);
}

function chooseStake(state: ActorState, random: SeededRandom): ActorAction | null {
  if (random.next() > Math.max(0.05, 1 - state.openStakes / MANY_STAKES)) return null;
  const isLarge = state.staked < STAKED_MIDDLE;
  const amount = isLarge ? roundAmount(random, 5_000, 250_000) : roundAmount(random, 25, 900);
  if (state.staked + amount > ACTOR_BOUNDS.staked.high) return null;
  const mayJoin = state.stakers < ACTOR_BOUNDS.stakers.high;
  const candidates = state.holders.filter((holder) => holder.open.length > 0 || mayJoin);
  const holder = pickAble(candidates, amount, random);
  return holder === null ? null : { kind: 'stake', wallet: holder.name, nonce: holder.nextNonce, amount };
}

function chooseUnstake(state: ActorState, random: SeededRandom): ActorAction | null {
  const possible = state.holders.flatMap((holder) =>
    holder.open
      .filter((stake) => {
        const stakers = state.stakers - (holder.open.length === 1 ? 1 : 0);
        const staked = state.staked - stake.amount;
        return stake.isUnlocked && stakers >= ACTOR_BOUNDS.stakers.low && staked >= ACTOR_BOUNDS.staked.low;
      })
      .map((stake) => ({ kind: 'unstake', wallet: holder.name, nonce: stake.nonce }) as const),
  );
  return possible.length === 0 ? null : random.pick(possible);
}

function chooseDeposit(state: ActorState, random: SeededRandom): ActorAction | null {
  const amount = roundAmount(random, 200, 40_000);
  if (state.vault + amount > ACTOR_BOUNDS.vault.high) return null;
  const holder = pickAble(state.holders, amount, random);
  return holder === null ? null : { kind: 'deposit', wallet: holder.name, amount };
}

function chooseWithdrawal(state: ActorState, random: SeededRandom): ActorAction | null {
  const amount = roundAmount(random, 200, 40_000);
  if (state.vault - amount < ACTOR_BOUNDS.vault.low) return null;
  return { kind: 'withdraw', wallet: random.pick(state.holders).name, amount };
}

function chooseTransfer(state: ActorState, random: SeededRandom): ActorAction | null {
  const amount = roundAmount(random, 50, 20_000);
  const holder = pickAble(state.holders, amount, random);
  if (holder === null) return null;
  const others = state.holders.filter((other) => other.name !== holder.name);
  return { kind: 'transfer', wallet: holder.name, to: random.pick(others).name, amount };
}

function pickAble(holders: readonly HolderState[], amount: bigint, random: SeededRandom): HolderState | null {
  const able = holders.filter((holder) => holder.balance >= amount);
  return able.length === 0 ? null : random.pick(able);
}

/** Between two whole amounts, small ones as likely as large ones by their digits, with two decimals at times. */
function roundAmount(random: SeededRandom, low: number, high: number): bigint {
  const amount = low * (high / low) ** random.next();
  const cents = random.next() < 0.4 ? Math.round(amount * 100) : Math.round(amount) * 100;
  return BigInt(cents) * 10n ** BigInt(BD_DECIMALS - 2);
}
