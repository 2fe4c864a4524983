import { LOCK_DAYS } from '../../data/model/staking-terms.ts';
import { ApiError } from '../errors.ts';

const POOL_REJECTS = 'The staking pool does not accept this stake:';

/** The staking program's errors by code (source: its IDL, @streamflow/staking 12.1.1). */
const PROGRAM_ERRORS: Readonly<Record<number, string>> = {
  6000: `${POOL_REJECTS} it only takes locks shorter than ${LOCK_DAYS} days.`,
  6002: `${POOL_REJECTS} it only takes locks longer than ${LOCK_DAYS} days.`,
  6003: `${POOL_REJECTS} the amount must be above 0.`,
  6005: `${POOL_REJECTS} it is not open to this wallet.`,
  6006: 'Another wallet now owns this wallet’s BD account. Move the BD to an account that this wallet owns.',
  6014: `${POOL_REJECTS} the token has an extension that the program does not support.`,
  6023: `${POOL_REJECTS} it would exceed the pool’s limit. Enter a smaller amount.`,
  6024: `${POOL_REJECTS} the pool ends before a lock of ${LOCK_DAYS} days would.`,
};

/** Errors of SPL Token and the system program. Both use the same numbers, but their logs differ. */
const ALREADY_IN_USE = 0;
const INSUFFICIENT = 1;
const ACCOUNT_FROZEN = 17;

/** The code of a program's own error; null for other errors. */
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

const refused = (text: string) => new ApiError('stake-refused', { text });

/** The API error for a failed transaction, from its JSON-RPC error and the programs' logs. */
export function refusalError({ err, logs }: { err: unknown; logs: readonly string[] }): ApiError {
  const code = programCode(err);
  const logged = logs.join('\n');
  if (code === INSUFFICIENT)
    return new ApiError(/insufficient lamports/.test(logged) ? 'too-little-sol' : 'too-little-bd');
  if (code === ALREADY_IN_USE && /already in use/.test(logged))
    return refused('This wallet has made another stake in the meantime. Start again.');
  if (code === ACCOUNT_FROZEN)
    return refused('The wallet’s BD account is frozen, so its BD cannot be staked.');
  if (code !== null) {
    const other = `The staking program rejected the stake with error ${code}. Nothing was staked.`;
    return refused(PROGRAM_ERRORS[code] ?? other);
  }
  switch (runtimeErrorName(err)) {
    case 'AccountNotFound':
    case 'InsufficientFundsForFee':
    case 'InsufficientFundsForRent':
      return new ApiError('too-little-sol');
    case 'BlockhashNotFound':
      return new ApiError('stake-too-old');
    default:
      return new ApiError('stake-refused');
  }
}
