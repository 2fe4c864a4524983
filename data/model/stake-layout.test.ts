import stakePoolIdl from '@streamflow/staking/solana/idl/stake_pool.json' with { type: 'json' };
import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeStakeEntry,
  decodeStakePool,
  STAKE_ENTRY_AUTHORITY_OFFSET,
  STAKE_ENTRY_DISCRIMINATOR,
  STAKE_ENTRY_POOL_OFFSET,
  STAKE_ENTRY_SIZE,
  STAKE_POOL_DISCRIMINATOR,
  STAKE_POOL_SIZE,
} from './stake-layout.ts';
import { STAKING_PROGRAM } from './staking-program.ts';

type IdlType = string | { readonly array: readonly [string, number] };
interface IdlField {
  readonly name: string;
  readonly type: IdlType;
}

const SIZES: Readonly<Record<string, number>> = { bool: 1, u8: 1, u32: 4, u64: 8, u128: 16, pubkey: 32 };

function sizeOf(type: IdlType): number {
  if (typeof type !== 'string') return sizeOf(type.array[0]) * type.array[1];
  const size = SIZES[type];
  if (size === undefined) throw new Error(`The IDL has a type that this test does not know: ${type}`);
  return size;
}

/** Reads bytes as the IDL says, knowing nothing of the hand-declared layout. */
function readByIdl(account: string, data: Uint8Array): { fields: Map<string, unknown>; size: number } {
  const type = stakePoolIdl.types.find(({ name }) => name === account)?.type;
  const fields = new Map<string, unknown>();
  let offset = 8;
  for (const field of (type?.fields ?? []) as readonly IdlField[]) {
    const size = sizeOf(field.type);
    const bytes = data.subarray(offset, offset + size);
    const little = bytes.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n);
    fields.set(field.name, field.type === 'pubkey' ? bs58.encode(bytes) : little);
    offset += size;
  }
  return { fields, size: offset };
}

function discriminatorOf(account: string): readonly number[] {
  return stakePoolIdl.accounts.find(({ name }) => name === account)?.discriminator ?? [];
}

const bytesOf = (size: number, discriminator: Uint8Array) =>
  fc
    .uint8Array({ minLength: size - 8, maxLength: size - 8 })
    .map((rest) => Uint8Array.from([...discriminator, ...rest]));

describe('the stake accounts, held against the IDL that @streamflow/staking ships', () => {
  it('belong to the program of the IDL', () => {
    expect(STAKING_PROGRAM).toBe(stakePoolIdl.address);
  });

  it('have the sizes and discriminators of the IDL', async () => {
    expect(readByIdl('StakeEntry', new Uint8Array(0)).size).toBe(STAKE_ENTRY_SIZE);
    expect(readByIdl('StakePool', new Uint8Array(0)).size).toBe(STAKE_POOL_SIZE);
    expect([...STAKE_ENTRY_DISCRIMINATOR]).toEqual(discriminatorOf('StakeEntry'));
    expect([...STAKE_POOL_DISCRIMINATOR]).toEqual(discriminatorOf('StakePool'));
    const name = new TextEncoder().encode('account:StakeEntry');
    const anchor = new Uint8Array(await crypto.subtle.digest('SHA-256', name)).subarray(0, 8);
    expect([...STAKE_ENTRY_DISCRIMINATOR]).toEqual([...anchor]);
  });

  it('read every member of an entry as the IDL does, whatever the bytes', () => {
    fc.assert(
      fc.property(bytesOf(STAKE_ENTRY_SIZE, STAKE_ENTRY_DISCRIMINATOR), (data) => {
        const { fields } = readByIdl('StakeEntry', data);
        expect(decodeStakeEntry(data)).toEqual({
          nonce: Number(fields.get('nonce')),
          stakePool: fields.get('stake_pool'),
          payer: fields.get('payer'),
          authority: fields.get('authority'),
          amount: fields.get('amount'),
          duration: fields.get('duration'),
          effectiveAmount: fields.get('effective_amount'),
          createdAt: fields.get('created_ts'),
          closedAt: fields.get('closed_ts'),
        });
        const keyAt = (offset: number) => bs58.encode(data.subarray(offset, offset + 32));
        expect(keyAt(STAKE_ENTRY_POOL_OFFSET)).toBe(fields.get('stake_pool'));
        expect(keyAt(STAKE_ENTRY_AUTHORITY_OFFSET)).toBe(fields.get('authority'));
      }),
    );
  });

  it('read every member of a pool as the IDL does, whatever the bytes', () => {
    fc.assert(
      fc.property(bytesOf(STAKE_POOL_SIZE, STAKE_POOL_DISCRIMINATOR), (data) => {
        const { fields } = readByIdl('StakePool', data);
        expect(decodeStakePool(data)).toEqual({
          nonce: Number(fields.get('nonce')),
          mint: fields.get('mint'),
          creator: fields.get('creator'),
          vault: fields.get('vault'),
          stakeMint: fields.get('stake_mint'),
          totalStake: fields.get('total_stake'),
        });
      }),
    );
  });

  it('are refused with another size or another discriminator', () => {
    const entry = Uint8Array.from([...STAKE_ENTRY_DISCRIMINATOR, ...new Uint8Array(STAKE_ENTRY_SIZE - 8)]);
    expect(decodeStakeEntry(entry)).not.toBeNull();
    expect(decodeStakeEntry(entry.subarray(0, STAKE_ENTRY_SIZE - 1))).toBeNull();
    expect(decodeStakeEntry(new Uint8Array(STAKE_ENTRY_SIZE))).toBeNull();
    expect(decodeStakePool(entry)).toBeNull();
    expect(decodeStakePool(new Uint8Array(STAKE_POOL_SIZE))).toBeNull();
  });
});
