/** Error codes of Streamflow's stake program (IDL 2.4.0), as far as this ledger raises them. */
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
  ArithmeticError: { code: 6004, message: 'Arithmetic Error (overflow/underflow)' },
  Unauthorized: { code: 6005, message: 'Account is not authorized to execute this instruction' },
  OwnerMismatch: { code: 6006, message: 'Token account owner did not match intended owner' },
  InvalidMint: { code: 6007, message: 'Provided Mint does not equal the Pool Mint' },
  InvalidStakeVault: { code: 6008, message: 'Provided Stake Vault does not equal the Pool Vault' },
  InvalidStakeMint: { code: 6009, message: 'Provided Stake Mint does not equal the Pool Stake Mint' },
  InvalidStakePool: { code: 6010, message: 'Provided Stake Pool does not equal the Entry Stake Pool' },
  ClosedStake: { code: 6012, message: "Stake Entry is already closed and can't be used" },
  LockedStake: { code: 6013, message: 'Stake is locked, unstake is not possible' },
  ActiveStake: { code: 6018, message: "Stake Entry is still active, can't be closed" },
  StakeDurationExceedsExpiry: { code: 6024, message: 'Stake duration exceeds stake pool expiry' },
  // Anchor's own codes (anchor-lang `ErrorCode`), which its account checks raise before the program runs.
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

/** What the program refuses, by its name in the IDL. */
export class StakeProgramError extends Error {
  readonly errorName: StakeErrorName;

  constructor(errorName: StakeErrorName) {
    super(STAKE_ERRORS[errorName].message);
    this.errorName = errorName;
  }
}
