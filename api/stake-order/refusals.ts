import { LOCK_DAYS } from '../../data/model/staking-terms.ts';
import { ApiError } from '../errors.ts';

const POOL_REJECTION_TEXT = 'The staking pool does not accept this stake:';

/** The texts for a rejected stake, by the staking program's error code (source: its IDL, @streamflow/staking 12.1.1). */
const STAKE_ERROR_TEXTS: Readonly<Record<number, string>> = {
  6000: `${POOL_REJECTION_TEXT} it only takes locks shorter than ${LOCK_DAYS} days.`,
  6002: `${POOL_REJECTION_TEXT} it only takes locks longer than ${LOCK_DAYS} days.`,
  6003: `${POOL_REJECTION_TEXT} the amount must be above 0.`,
  6005: `${POOL_REJECTION_TEXT} it is not open to this wallet.`,
  6006: 'The token account for this wallet’s BD now belongs to another wallet. Move the BD to an account that this wallet owns.',
  6014: `${POOL_REJECTION_TEXT} the token has an extension that the program does not support.`,
  6023: `${POOL_REJECTION_TEXT} it would exceed the pool’s limit. Enter a smaller amount.`,
  6024: `${POOL_REJECTION_TEXT} the pool closes before a lock of ${LOCK_DAYS} days would end.`,
};

/** Error codes of SPL Token and the system program. Both use the same numbers, so the logs are needed to distinguish them. */
const ALREADY_IN_USE = 0;
const INSUFFICIENT_FUNDS = 1;
const ACCOUNT_FROZEN = 17;

/** The associated token program's error code for an account that another wallet owns. */
const WRONG_OWNER = 0;
const OTHER_OWNER_TEXT =
  'The token account for this wallet’s BD now belongs to another wallet, so your BD cannot be returned there. Contact support.';
const UNSTAKE_ERROR_TEXTS: Readonly<Record<number, string>> = {
  [INSUFFICIENT_FUNDS]:
    'This wallet no longer holds the receipt tokens for this stake, and a withdrawal needs them. Move them back, then try again.',
  [ACCOUNT_FROZEN]: 'The wallet’s BD account is frozen, so it cannot receive BD.',
  6005: 'The stake belongs to another wallet. Connect the wallet that made it.',
  [WRONG_OWNER]: OTHER_OWNER_TEXT,
  6006: OTHER_OWNER_TEXT,
  6016: 'The pool requires a request before a withdrawal. This portal cannot make that request. Use Streamflow’s own app.',
  6017: 'The pool’s waiting period after the request isn’t over yet. Try again later.',
};
const CLOSED_STAKE = 6012;
const LOCKED_STAKE = 6013;

/** The code of an error that a program itself defines; null for other errors. */
function programCode(err: unknown): number | null {
  if (typeof err !== 'object' || err === null || !('InstructionError' in err)) return null;
  const detail = Array.isArray(err.InstructionError) ? err.InstructionError[1] : null;
  if (typeof detail !== 'object' || detail === null || !('Custom' in detail)) return null;
  return typeof detail.Custom === 'number' ? detail.Custom : null;
}

function runtimeErrorName(err: unknown): string | null {
  if (typeof err === 'string') return err;
  return typeof err === 'object' && err !== null ? (Object.keys(err)[0] ?? null) : null;
}

function stakeError(code: number | null, logText: string): ApiError {
  const refusal = (text: string) => new ApiError('stake-refused', { text });
  if (code === null) return new ApiError('stake-refused');
  if (code === INSUFFICIENT_FUNDS) return new ApiError('too-little-bd');
  if (code === ALREADY_IN_USE && /already in use/.test(logText))
    return refusal('This wallet has made another stake in the meantime. Start again.');
  if (code === ACCOUNT_FROZEN)
    return refusal('The wallet’s BD account is frozen, so its BD cannot be staked.');
  const fallbackText = `The staking program rejected the stake with error ${code}. Nothing was staked.`;
  return refusal(STAKE_ERROR_TEXTS[code] ?? fallbackText);
}

function unstakeError(code: number | null): ApiError {
  const refusal = (text: string) => new ApiError('unstake-refused', { text });
  if (code === null) return new ApiError('unstake-refused');
  if (code === CLOSED_STAKE) return new ApiError('no-such-stake');
  if (code === LOCKED_STAKE) return new ApiError('stake-locked');
  const fallbackText = `The staking program rejected the withdrawal with error ${code}. Nothing was withdrawn.`;
  return refusal(UNSTAKE_ERROR_TEXTS[code] ?? fallbackText);
}

interface FailedTransaction {
  /** The error from the JSON-RPC response. */
  readonly err: unknown;
  readonly logs: readonly string[];
  readonly isWithdrawal: boolean;
}

export function refusalError({ err, logs, isWithdrawal }: FailedTransaction): ApiError {
  const code = programCode(err);
  const logText = logs.join('\n');
  if (code === INSUFFICIENT_FUNDS && /insufficient lamports/.test(logText))
    return new ApiError('too-little-sol');
  const name = code === null ? runtimeErrorName(err) : null;
  switch (name) {
    case 'AccountNotFound':
    case 'InsufficientFundsForFee':
    case 'InsufficientFundsForRent':
      return new ApiError('too-little-sol');
    case 'BlockhashNotFound':
      return new ApiError('stake-too-old');
    default:
      return isWithdrawal ? unstakeError(code) : stakeError(code, logText);
  }
}
