import { STAKE_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import {
  associatedTokenAddress,
  stakeMintAddress,
  stakePoolAddress,
  stakeVaultAddress,
} from './stake-program/addresses.ts';
import { ledgerAddress } from './wallets.ts';

/** Decimals of the BD mint. */
export const BD_DECIMALS = 6;
/** The pool's number among those of its creator. */
export const STAKE_POOL_NONCE = 0;

const mint = ledgerAddress('mint');
const creator = ledgerAddress('creator');
const vaultOwner = ledgerAddress('vault-owner');
const stakePool = stakePoolAddress(mint, creator, STAKE_POOL_NONCE);

/** Addresses of the genesis, all derived from the names of its wallets. */
export const LEDGER = {
  mint,
  creator,
  vaultOwner,
  vault: associatedTokenAddress(vaultOwner, mint, TOKEN_PROGRAM),
  stakeProgram: STAKE_PROGRAM,
  stakePool,
  stakeVault: stakeVaultAddress(stakePool),
  stakeMint: stakeMintAddress(stakePool),
} as const;
