import { EXACT_DECIMALS, exactUnits, toDecimalText, wholeTokens } from '../../../data/model/amounts.ts';
import { type CardTier, TIERS } from '../../../data/model/tiers.ts';

const PLAIN = /^\d+(\.\d+)?$/;
const GROUPED = /^\d{1,3}(,\d{3})+(\.\d+)?$/;
/** The longest text that the server accepts. */
const MAX_LENGTH = 40;
const LAMPORT_DECIMALS = 9;

/** A typed amount as decimal text. Null if it is invalid or zero. `'1,234,500'` → `'1234500'`. */
export function typedAmount(typed: string): string | null {
  const text = typed.trim();
  const plain = GROUPED.test(text) ? text.replaceAll(',', '') : text;
  return PLAIN.test(plain) && plain.length <= MAX_LENGTH && /[1-9]/.test(plain) ? plain : null;
}

export interface TierGap {
  readonly tier: CardTier;
  /** BD that the wallet still needs for the tier, decimal text. */
  readonly missing: string;
}

/** The tiers that a stake (BD, decimal text) has not reached, with the missing amounts. */
export function tierGaps(staked: string): readonly TierGap[] {
  const units = exactUnits(staked);
  return TIERS.flatMap(({ tier, minimumStakeBd }) => {
    const missing = wholeTokens(minimumStakeBd, EXACT_DECIMALS) - units;
    return missing > 0n ? [{ tier, missing: toDecimalText(missing, EXACT_DECIMALS) }] : [];
  });
}

/** An exact amount of SOL from lamports: `'2039280'` → `'0.00203928 SOL'`. */
export function solText(lamports: string): string {
  return `${toDecimalText(BigInt(lamports), LAMPORT_DECIMALS)} SOL`;
}
