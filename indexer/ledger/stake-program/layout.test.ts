import { PublicKey } from '@solana/web3.js';
import {
  calculateStakeWeight,
  constants,
  deriveStakeEntryPDA,
  deriveStakeMintPDA,
  deriveStakePoolPDA,
  deriveStakeVaultPDA,
  SolanaStakingClient,
} from '@streamflow/staking';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEDGER, STAKE_POOL_NONCE } from '../addresses.ts';
import { encodeKey } from '../base58-cache.ts';
import { STAKE_PROGRAM } from '../programs.ts';
import { rentSponsorAddress, stakeEntryAddress } from './addresses.ts';
import { effectiveAmount, WEIGHT_SCALE } from './effective-amount.ts';
import { STAKE_ERRORS } from './errors.ts';
import { decodeStakeEntry, decodeStakePool, encodeStakeEntry, encodeStakePool } from './layout.ts';

/** Streamflow's own SDK; nothing here calls its endpoint. */
const { stakePoolProgram } = new SolanaStakingClient({ clusterUrl: 'http://127.0.0.1:1' }).programs;

/** The SDK's big integers come from a package without types. */
const BigNumber: new (text: string) => typeof constants.DEFAULT_FEE_BN = constants.DEFAULT_FEE_BN.constructor;

const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const u128 = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n });
const address = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(encodeKey);
const pool = fc.record({
  bump: fc.nat(255),
  nonce: fc.nat(255),
  mint: address,
  creator: address,
  authority: address,
  minWeight: u64,
  maxWeight: u64,
  minDuration: u64,
  maxDuration: u64,
  isPermissionless: fc.boolean(),
  vault: address,
  stakeMint: address,
  totalStake: u64,
  totalEffectiveStake: u128,
  freezesStakeMint: fc.boolean(),
  unstakePeriod: u64,
  isTotalStakeCapped: fc.boolean(),
  remainingTotalStake: u64,
  expiryTime: u64,
  autoUnstake: fc.boolean(),
});
const entry = fc.record({
  nonce: fc.nat(2 ** 32 - 1),
  stakePool: address,
  payer: address,
  authority: address,
  amount: u64,
  duration: u64,
  effectiveAmount: u128,
  createdTime: u64,
  closedTime: u64,
  priorTotalEffectiveStake: u128,
  unstakeRequestedTime: u64,
  isSponsored: fc.boolean(),
  autoUnstake: fc.boolean(),
});

describe('accounts of the stake program', () => {
  it('are read by the SDK as they were written: pools', () => {
    fc.assert(
      fc.property(pool, (written) => {
        const bytes = Buffer.from(encodeStakePool(written));
        const read = stakePoolProgram.coder.accounts.decode('stakePool', bytes);
        expect(bytes.length).toBe(291);
        expect([read.bump, read.nonce, read.permissionless, read.freezeStakeMint]).toEqual([
          written.bump,
          written.nonce,
          written.isPermissionless,
          written.freezesStakeMint,
        ]);
        expect([read.mint, read.creator, read.authority, read.vault, read.stakeMint].map(String)).toEqual([
          written.mint,
          written.creator,
          written.authority,
          written.vault,
          written.stakeMint,
        ]);
        expect(
          [
            read.minWeight,
            read.maxWeight,
            read.minDuration,
            read.maxDuration,
            read.totalStake,
            read.totalEffectiveStake,
            read.unstakePeriod,
            read.remainingTotalStake,
            read.expiryTs,
          ].map(String),
        ).toEqual(
          [
            written.minWeight,
            written.maxWeight,
            written.minDuration,
            written.maxDuration,
            written.totalStake,
            written.totalEffectiveStake,
            written.unstakePeriod,
            written.remainingTotalStake,
            written.expiryTime,
          ].map(String),
        );
        expect([read.isTotalStakeCapped, read.autoUnstake]).toEqual([
          written.isTotalStakeCapped,
          written.autoUnstake,
        ]);
        expect(decodeStakePool(bytes)).toEqual(written);
      }),
      { numRuns: 100 },
    );
  });

  it('are read by the SDK as they were written: entries', () => {
    fc.assert(
      fc.property(entry, (written) => {
        const bytes = Buffer.from(encodeStakeEntry(written));
        const read = stakePoolProgram.coder.accounts.decode('stakeEntry', bytes);
        expect(bytes.length).toBe(220);
        expect([read.nonce, read.isSponsored, read.autoUnstake]).toEqual([
          written.nonce,
          written.isSponsored,
          written.autoUnstake,
        ]);
        expect([read.stakePool, read.payer, read.authority].map(String)).toEqual([
          written.stakePool,
          written.payer,
          written.authority,
        ]);
        expect(
          [
            read.amount,
            read.duration,
            read.effectiveAmount,
            read.createdTs,
            read.closedTs,
            read.priorTotalEffectiveStake,
            read.unstakeTs,
          ].map(String),
        ).toEqual(
          [
            written.amount,
            written.duration,
            written.effectiveAmount,
            written.createdTime,
            written.closedTime,
            written.priorTotalEffectiveStake,
            written.unstakeRequestedTime,
          ].map(String),
        );
        expect(decodeStakeEntry(bytes)).toEqual(written);
      }),
      { numRuns: 100 },
    );
  });

  it('stand at the addresses that the SDK derives', () => {
    const program = new PublicKey(STAKE_PROGRAM);
    const own = new PublicKey(LEDGER.stakePool);
    const derived = deriveStakePoolPDA(
      program,
      new PublicKey(LEDGER.mint),
      new PublicKey(LEDGER.creator),
      STAKE_POOL_NONCE,
    );
    expect(String(derived)).toBe(LEDGER.stakePool);
    expect(String(deriveStakeVaultPDA(program, own))).toBe(LEDGER.stakeVault);
    expect(String(deriveStakeMintPDA(program, own))).toBe(LEDGER.stakeMint);
    expect(String(deriveStakeEntryPDA(program, own, new PublicKey(LEDGER.vaultOwner), 70_000))).toBe(
      stakeEntryAddress(LEDGER.stakePool, LEDGER.vaultOwner, 70_000),
    );
    const [sponsor] = PublicKey.findProgramAddressSync([Buffer.from('rent-sponsor')], program);
    expect(String(sponsor)).toBe(rentSponsorAddress());
  });

  it('are not read from other bytes', () => {
    expect([decodeStakePool(new Uint8Array(291)), decodeStakeEntry(new Uint8Array(220))]).toEqual([
      null,
      null,
    ]);
    expect(decodeStakeEntry(new Uint8Array(3))).toBeNull();
  });
});

describe('errors of the stake program', () => {
  it('have the codes and texts of the IDL', () => {
    const own = Object.entries(STAKE_ERRORS).filter(([, { code }]) => code >= 6_000);
    const published = new Map<number, { name: string; msg: string }>(
      stakePoolProgram.idl.errors.map(({ code, name, msg }) => [code, { name, msg }]),
    );
    for (const [name, { code, message }] of own) {
      const { name: theirs = '', msg } = published.get(code) ?? {};
      expect([theirs.toLowerCase(), msg]).toEqual([name.toLowerCase(), message]);
    }
    expect(own).toHaveLength(14);
  });
});

describe('the effective amount', () => {
  it("is the amount times the SDK's weight, for every pool and duration", () => {
    const terms = fc
      .tuple(
        fc.bigInt(1n, 10n ** 15n),
        fc.bigInt(1n, 10n ** 8n),
        fc.bigInt(0n, 10n ** 8n),
        fc.bigInt(0n, 100n),
      )
      .chain(([amount, minDuration, span, percent]) =>
        fc.bigInt(0n, span).map((past) => ({
          amount,
          duration: minDuration + past,
          pool: {
            minDuration,
            maxDuration: minDuration + span,
            maxWeight: WEIGHT_SCALE + (WEIGHT_SCALE * percent) / 10n,
          },
        })),
      );
    fc.assert(
      fc.property(terms, ({ amount, duration, pool: terms }) => {
        const big = (value: bigint) => new BigNumber(value.toString());
        const weight = calculateStakeWeight(
          big(terms.minDuration),
          big(terms.maxDuration),
          big(terms.maxWeight),
          big(duration),
        );
        expect(effectiveAmount(amount, duration, terms)).toBe(amount * BigInt(weight.toString()));
      }),
    );
  });
});
