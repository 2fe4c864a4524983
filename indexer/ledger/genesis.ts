import { PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { tokensToBaseUnits } from '../../data/model/amounts.ts';
import { DEMO_WALLETS } from '../../data/model/demo-wallets.ts';
import { STAKE_POOL } from '../../data/model/stake-layout.ts';
import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import { STREAMFLOW_ALLOCATION_BD, TOTAL_SUPPLY_BD } from '../../data/model/supply.ts';
import { MINT_SIZE, TOKEN_PROGRAM } from '../chain/accounts.ts';
import { NO_ACCOUNT } from './account-index.ts';
import {
  BD_DECIMALS,
  FAUCET_NAME,
  HOLDER_NAMES,
  LEDGER,
  ledgerAddress,
  ledgerKeypair,
  STAKE_POOL_NONCE,
  stakeMintAddress,
  stakePoolAddress,
  stakePoolBump,
  stakeVaultAddress,
} from './addresses.ts';
import { keyBytes } from './base58-cache.ts';
import type { Engine } from './engine.ts';
import { WEIGHT_SCALE } from './stake-program/rules.ts';
import {
  bdAccountOf,
  initializeBdMintInstruction,
  LOCK_SECONDS,
  mintBdInstruction,
  moveBdInstruction,
  openTokenAccountInstruction,
  revokeMintAuthorityInstruction,
  signedTransactionBytes,
  transferLamportsInstruction,
} from './transactions.ts';

export const LAMPORTS_PER_SOL = 1_000_000_000n;
export const TOTAL_SUPPLY = tokensToBaseUnits(TOTAL_SUPPLY_BD, BD_DECIMALS);

/** Below 2⁵³ lamports, because JSON-RPC writes lamports as JSON numbers. */
const FAUCET_LAMPORTS = 5_000_000n * LAMPORTS_PER_SOL;

/**
 * The BD and SOL that each wallet gets, in whole units. The treasury keeps the remaining BD for the command line and the demo
 * actors.
 */
const ALLOCATIONS: readonly (readonly [name: string, bd: number, sol: bigint])[] = [
  ['vault-owner', 92_000_000, 1_000n],
  ['liquidity', 210_000_000, 100n],
  ['streamflow-lock', Number(STREAMFLOW_ALLOCATION_BD), 10n],
  ...HOLDER_NAMES.map((name, index) => [name, holderAllocation(index), 50n] as const),
  // The demo wallets stake in the generated history. A demo wallet without SOL cannot pay the fees, so it is left out.
  ...DEMO_WALLETS.filter(({ sol }) => sol > 0n).map(
    ({ name, stakedBd, heldBd, sol }) => [name, Number(stakedBd + heldBd), sol] as const,
  ),
];

/** The BD that a holder gets: from 42M for the first holder down to 1.3M for the last. */
function holderAllocation(index: number): number {
  return Math.round(42_000 * 0.86 ** index) * 1_000;
}

/**
 * Creates the mint, mints the whole supply, revokes the mint authority, and funds the named wallets, all in signed
 * transactions. The faucet and the stake pool are written directly, without a transaction.
 *
 * @param nextSlot advances the engine's clock, so that each transaction has its own slot
 */
export function createGenesis(engine: Engine, nextSlot: () => void): void {
  engine.writeAccount(ledgerAddress(FAUCET_NAME), { ...NO_ACCOUNT, lamports: FAUCET_LAMPORTS });
  const send = (instructions: TransactionInstruction[], signers: string[]): void => {
    nextSlot();
    const wire = signedTransactionBytes(
      instructions,
      signers.map(ledgerKeypair),
      engine.latestBlockhash().blockhash,
    );
    const outcome = engine.send(wire);
    if (outcome.kind !== 'accepted') throw new Error(`The genesis failed: ${JSON.stringify(outcome)}`);
  };

  send(
    [
      fundingInstruction('creator', 1_000n * LAMPORTS_PER_SOL),
      fundingInstruction('treasury', 10_000n * LAMPORTS_PER_SOL),
    ],
    [FAUCET_NAME],
  );
  send(createMintInstructions(engine.rentExemption(MINT_SIZE)), ['creator', 'mint']);
  send(mintSupplyInstructions(), ['creator']);
  writeStakePool(engine, STAKE_POOL_NONCE);
  for (const [name, bd, sol] of ALLOCATIONS) {
    send([fundingInstruction(name, sol * LAMPORTS_PER_SOL)], [FAUCET_NAME]);
    send(fundWalletInstructions(name, tokensToBaseUnits(BigInt(bd), BD_DECIMALS)), ['treasury']);
  }
}

function fundingInstruction(name: string, amount: bigint): TransactionInstruction {
  return transferLamportsInstruction(ledgerKeypair(FAUCET_NAME), ledgerKeypair(name), amount);
}

function createMintInstructions(rent: bigint): TransactionInstruction[] {
  const createAccount = SystemProgram.createAccount({
    fromPubkey: ledgerKeypair('creator').publicKey,
    newAccountPubkey: ledgerKeypair('mint').publicKey,
    lamports: Number(rent),
    space: MINT_SIZE,
    programId: new PublicKey(TOKEN_PROGRAM),
  });
  return [createAccount, initializeBdMintInstruction(LEDGER.creator)];
}

function mintSupplyInstructions(): TransactionInstruction[] {
  const treasury = ledgerAddress('treasury');
  return [
    openTokenAccountInstruction(LEDGER.creator, treasury, LEDGER.mint),
    mintBdInstruction(LEDGER.creator, bdAccountOf(treasury), TOTAL_SUPPLY),
    revokeMintAuthorityInstruction(LEDGER.creator),
  ];
}

function fundWalletInstructions(name: string, amount: bigint): TransactionInstruction[] {
  const treasury = ledgerAddress('treasury');
  const wallet = ledgerAddress(name);
  return [
    openTokenAccountInstruction(treasury, wallet, LEDGER.mint),
    moveBdInstruction(treasury, bdAccountOf(treasury), bdAccountOf(wallet), amount),
  ];
}

/**
 * Writes an empty stake pool for the BD mint directly. No transaction can create one on this ledger, because the stake
 * program's binary is not public.
 */
export function writeStakePool(engine: Engine, nonce: number): void {
  const address = stakePoolAddress(LEDGER.mint, LEDGER.creator, nonce);
  const vault = stakeVaultAddress(address);
  const stakeMint = stakeMintAddress(address);
  const pool = STAKE_POOL.encode({
    bump: stakePoolBump(LEDGER.mint, LEDGER.creator, nonce),
    nonce,
    mint: LEDGER.mint,
    creator: LEDGER.creator,
    authority: LEDGER.creator,
    minWeight: WEIGHT_SCALE,
    maxWeight: WEIGHT_SCALE,
    minDuration: LOCK_SECONDS,
    maxDuration: LOCK_SECONDS,
    isPermissionless: true,
    vault,
    stakeMint,
    totalStake: 0n,
    totalEffectiveStake: 0n,
    freezesStakeMint: false,
    unstakePeriod: 0n,
    isTotalStakeCapped: false,
    remainingTotalStake: 0n,
    expiresAt: 0n,
    autoUnstake: false,
  });
  writeRentExemptAccount(engine, address, STAKING_PROGRAM, pool);
  writeRentExemptAccount(engine, vault, TOKEN_PROGRAM, emptyTokenAccount(LEDGER.mint, address));
  writeRentExemptAccount(engine, stakeMint, TOKEN_PROGRAM, emptyMint(address));
}

function writeRentExemptAccount(engine: Engine, address: string, owner: string, data: Uint8Array): void {
  const rent = engine.rentExemption(data.length);
  engine.writeAccount(address, { lamports: rent, owner, executable: false, data });
}

/** An initialized spl-token `Account` with a zero balance. */
function emptyTokenAccount(mint: string, owner: string): Uint8Array {
  const bytes = Buffer.alloc(165);
  bytes.set(keyBytes(mint), 0);
  bytes.set(keyBytes(owner), 32);
  bytes.writeUInt8(1, 108);
  return bytes;
}

/** An initialized spl-token `Mint` with a zero supply. */
function emptyMint(authority: string): Uint8Array {
  const bytes = Buffer.alloc(MINT_SIZE);
  bytes.writeUInt32LE(1, 0);
  bytes.set(keyBytes(authority), 4);
  bytes.writeUInt8(BD_DECIMALS, 44);
  bytes.writeUInt8(1, 45);
  return bytes;
}
