/**
 * Token amounts in the shape of a Solana node (Agave, `account-decoder/src/parse_token.rs`). The text forms are exact; the
 * number is a convenience that rounds.
 */

export interface UiTokenAmount {
  /** Base units. */
  readonly amount: string;
  readonly decimals: number;
  readonly uiAmount: number | null;
  readonly uiAmountString: string;
}

/** A node cannot hold 10^decimals above this many decimals and answers no number then. */
const MOST_DECIMALS_WITH_NUMBER = 19;

function decimalText(amount: bigint, decimals: number): string {
  if (decimals === 0) return amount.toString();
  const digits = amount.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  const whole = digits.slice(0, -decimals);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** Base units as an account read shows them. */
export function uiTokenAmount(amount: bigint, decimals: number): UiTokenAmount {
  return {
    amount: amount.toString(),
    decimals,
    uiAmount: decimals > MOST_DECIMALS_WITH_NUMBER ? null : Number(amount) / 10 ** decimals,
    uiAmountString: decimalText(amount, decimals),
  };
}

/** Base units as a transaction's balances show them: there a node has no number for zero. */
export function uiBalanceAmount(amount: bigint, decimals: number): UiTokenAmount {
  const shown = uiTokenAmount(amount, decimals);
  return amount === 0n ? { ...shown, uiAmount: null } : shown;
}
