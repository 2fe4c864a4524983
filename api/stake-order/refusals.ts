import type { ApiError } from '../errors.ts';
import { StakeRefusedError, StakeTooOldError, TooLittleBdError, TooLittleSolError } from './order-errors.ts';

/** What a node says of a transaction that failed: its error as JSON-RPC has it, and the programs' logs. */
export interface ChainRefusal {
  readonly err: unknown;
  readonly logs: readonly string[];
}

const POOL_REFUSES = 'The staking pool does not take this stake:';

/** Refusals of the staking program (source: errors of its IDL, @streamflow/staking 12.1.1), by code. */
const PROGRAM_WORDS: Readonly<Record<number, string>> = {
  6000: `${POOL_REFUSES} it only takes locks shorter than 180 days.`,
  6002: `${POOL_REFUSES} it only takes locks longer than 180 days.`,
  6003: `${POOL_REFUSES} the amount has to be more than 0.`,
  6005: `${POOL_REFUSES} it is not open to this wallet.`,
  6006: 'The wallet’s BD account belongs to another wallet now. Move the BD to an account of this wallet.',
  6014: `${POOL_REFUSES} the token has an extension that the program does not support.`,
  6023: `${POOL_REFUSES} it would hold more than it may. Stake less.`,
  6024: `${POOL_REFUSES} it ends before a lock of 180 days would.`,
};

/** Errors that SPL Token and the system program share a number for, told apart by what they log. */
const INSUFFICIENT = 1;
const ACCOUNT_FROZEN = 17;

export const TOO_LITTLE_SOL =
  'The wallet has too little SOL for the network’s fee and for the accounts that the stake opens.';
const SEND_SOL = 'Send it some SOL, then try again.';
const ALREADY_IN_USE = /already in use/;

/** The code of a program's own error; null for any other kind. */
function programCode(err: unknown): number | null {
  if (typeof err !== 'object' || err === null || !('InstructionError' in err)) return null;
  const detail = Array.isArray(err.InstructionError) ? err.InstructionError[1] : null;
  if (typeof detail !== 'object' || detail === null || !('Custom' in detail)) return null;
  return typeof detail.Custom === 'number' ? detail.Custom : null;
}

/** The name of an error that the runtime itself raises. */
function runtimeName(err: unknown): string | null {
  if (typeof err === 'string') return err;
  return typeof err === 'object' && err !== null ? (Object.keys(err)[0] ?? null) : null;
}

/** Why a stake failed, in plain words, as the error that the API answers. */
export function refusalError({ err, logs }: ChainRefusal): ApiError {
  const code = programCode(err);
  const logged = logs.join('\n');
  if (code === INSUFFICIENT && /insufficient lamports/.test(logged))
    return new TooLittleSolError(`${TOO_LITTLE_SOL} ${SEND_SOL}`);
  if (code === INSUFFICIENT)
    return new TooLittleBdError('The wallet holds less BD than was to be staked. Stake less.');
  if (code === 0 && ALREADY_IN_USE.test(logged))
    return new StakeRefusedError('The wallet staked something else in the meantime. Start again.');
  if (code === ACCOUNT_FROZEN)
    return new StakeRefusedError('The wallet’s BD account is frozen, so its BD cannot be staked.');
  if (code !== null)
    return new StakeRefusedError(
      PROGRAM_WORDS[code] ??
        `The staking program refuses the stake with its error ${code}. Nothing was staked.`,
    );
  switch (runtimeName(err)) {
    case 'AccountNotFound':
    case 'InsufficientFundsForFee':
    case 'InsufficientFundsForRent':
      return new TooLittleSolError(`${TOO_LITTLE_SOL} ${SEND_SOL}`);
    case 'BlockhashNotFound':
      return new StakeTooOldError();
    default:
      return new StakeRefusedError('The chain refuses the stake. Nothing was staked. Try again later.');
  }
}
