/** Anchor's instruction discriminators, from Streamflow's IDL 2.4.0. */
const DISCRIMINATORS = {
  stake: Uint8Array.of(206, 176, 202, 18, 200, 209, 179, 108),
  unstake: Uint8Array.of(90, 95, 107, 42, 205, 124, 50, 225),
} as const;

export type StakeInstruction =
  | { readonly name: 'stake'; readonly nonce: number; readonly amount: bigint; readonly duration: bigint }
  | { readonly name: 'unstake'; readonly closesEntry: boolean };

/** Instruction data of `stake`: nonce u32, amount u64 in base units, duration u64 in seconds. */
export function encodeStake(nonce: number, amount: bigint, duration: bigint): Buffer {
  const bytes = Buffer.alloc(28);
  bytes.set(DISCRIMINATORS.stake);
  bytes.writeUInt32LE(nonce, 8);
  bytes.writeBigUInt64LE(amount, 12);
  bytes.writeBigUInt64LE(duration, 20);
  return bytes;
}

/** Instruction data of `unstake`: an optional flag that says whether the entry is closed as well. */
export function encodeUnstake(closesEntry: boolean): Buffer {
  return Buffer.from([...DISCRIMINATORS.unstake, 1, Number(closesEntry)]);
}

/**
 * Reads instruction data. `unknown`: the ledger does not implement the instruction. `broken`: its arguments cannot be
 * read. Like Anchor, ignores bytes after the arguments.
 */
export function decodeStakeInstruction(data: Uint8Array): StakeInstruction | 'unknown' | 'broken' {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const head = bytes.subarray(0, 8);
  if (head.equals(DISCRIMINATORS.stake)) {
    if (bytes.length < 28) return 'broken';
    return {
      name: 'stake',
      nonce: bytes.readUInt32LE(8),
      amount: bytes.readBigUInt64LE(12),
      duration: bytes.readBigUInt64LE(20),
    };
  }
  if (head.equals(DISCRIMINATORS.unstake)) {
    const presenceByte = bytes[8];
    if (presenceByte === 0) return { name: 'unstake', closesEntry: false };
    const flag = bytes[9];
    if (presenceByte !== 1 || (flag !== 0 && flag !== 1)) return 'broken';
    return { name: 'unstake', closesEntry: flag === 1 };
  }
  return 'unknown';
}

/** The flags that the IDL requires for an account: `w` writable, `s` signer. */
export type AccountFlags = '' | 'w' | 'ws';

/** In the IDL's order. */
export const STAKE_ACCOUNTS = {
  stakePool: 'w',
  stakeEntry: 'w',
  from: 'w',
  vault: 'w',
  to: 'w',
  payer: 'ws',
  authority: '',
  mint: 'w',
  stakeMint: 'w',
  rentSponsor: 'w',
  tokenProgram: '',
  systemProgram: '',
} as const satisfies Record<string, AccountFlags>;

/** In the IDL's order. */
export const UNSTAKE_ACCOUNTS = {
  stakePool: 'w',
  stakeEntry: 'w',
  from: 'w',
  vault: 'w',
  to: 'w',
  authority: 'ws',
  mint: 'w',
  stakeMint: 'w',
  rentSponsor: 'w',
  tokenProgram: '',
} as const satisfies Record<string, AccountFlags>;

/** Errors of Streamflow's stake program (IDL 2.4.0) that this ledger raises. */
export const STAKE_ERRORS = {
  InvalidDuration: {
    code: 6000,
    message:
      'Minimum duration must be less than the maximum, maximum should be a realistic number of seconds',
  },
  DurationTooShort: {
    code: 6002,
    message: "Duration of staking can't be less than minimum duration of the pool",
  },
  InvalidStakeAmount: { code: 6003, message: 'Stake amount should be more than 0' },
  Unauthorized: { code: 6005, message: 'Account is not authorized to execute this instruction' },
  OwnerMismatch: { code: 6006, message: 'Token account owner did not match intended owner' },
  InvalidMint: { code: 6007, message: 'Provided Mint does not equal the Pool Mint' },
  InvalidStakeVault: { code: 6008, message: 'Provided Stake Vault does not equal the Pool Vault' },
  InvalidStakeMint: { code: 6009, message: 'Provided Stake Mint does not equal the Pool Stake Mint' },
  InvalidStakePool: { code: 6010, message: 'Provided Stake Pool does not equal the Entry Stake Pool' },
  ClosedStake: { code: 6012, message: "Stake Entry is already closed and can't be used" },
  LockedStake: { code: 6013, message: 'Stake is locked, unstake is not possible' },
  // Errors that Anchor itself raises (anchor-lang `ErrorCode`).
  InstructionFallbackNotFound: { code: 101, message: 'Fallback functions are not supported' },
  InstructionDidNotDeserialize: {
    code: 102,
    message: 'The program could not deserialize the given instruction',
  },
  ConstraintMut: { code: 2000, message: 'A mut constraint was violated' },
  ConstraintSeeds: { code: 2006, message: 'A seeds constraint was violated' },
  AccountDiscriminatorMismatch: {
    code: 3002,
    message: 'Account discriminator did not match what was expected',
  },
  AccountNotEnoughKeys: { code: 3005, message: 'Not enough account keys given to the instruction' },
  AccountOwnedByWrongProgram: {
    code: 3007,
    message: 'The given account is owned by a different program than expected',
  },
  InvalidProgramId: { code: 3008, message: 'Program ID was not as expected' },
  AccountNotSigner: { code: 3010, message: 'The given account did not sign' },
  AccountNotInitialized: {
    code: 3012,
    message: 'The program expected this account to be already initialized',
  },
} as const;

export type StakeErrorName = keyof typeof STAKE_ERRORS;

/** An error with which the stake program rejects an instruction, named as in the IDL. */
export class StakeProgramError extends Error {
  readonly errorName: StakeErrorName;

  constructor(errorName: StakeErrorName) {
    super(STAKE_ERRORS[errorName].message);
    this.errorName = errorName;
  }
}
