import stakePoolIdl from '@streamflow/staking/solana/idl/stake_pool.json' with { type: 'json' };
import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STAKE_ENTRY, STAKE_POOL, stakeOfEntry } from './stake-layout.ts';
import { STAKING_PROGRAM } from './staking-terms.ts';

const SIZES: Readonly<Record<string, number>> = { bool: 1, u8: 1, u32: 4, u64: 8, u128: 16, pubkey: 32 };
/** Members of the IDL that the portal names differently. */
const DECODED_NAMES: Readonly<Record<string, string>> = {
  created_ts: 'createdAt',
  closed_ts: 'closedAt',
  unstake_ts: 'unstakeRequestedAt',
  permissionless: 'isPermissionless',
  freeze_stake_mint: 'freezesStakeMint',
  expiry_ts: 'expiresAt',
};

type IdlType = string | { readonly array: readonly [string, number] };
interface IdlMember {
  readonly name: string;
  readonly type: IdlType;
}

function sizeOf(type: IdlType): number {
  if (typeof type !== 'string') return sizeOf(type.array[0]) * type.array[1];
  const size = SIZES[type];
  if (size === undefined) throw new Error(`The IDL has an unknown type: ${type}`);
  return size;
}

function membersInIdl(account: string): readonly IdlMember[] {
  const type = stakePoolIdl.types.find(({ name }) => name === account)?.type;
  return (type?.fields ?? []) as readonly IdlMember[];
}

function decodeByIdl(account: string, data: Uint8Array): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  let offset = 8;
  for (const { name, type } of membersInIdl(account)) {
    const bytes = data.subarray(offset, offset + sizeOf(type));
    offset += bytes.length;
    const isReserved = typeof type !== 'string';
    if (isReserved) continue;
    const number = bytes.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n);
    const camelCase = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    members[DECODED_NAMES[name] ?? camelCase] =
      type === 'pubkey'
        ? bs58.encode(bytes)
        : type === 'bool'
          ? number === 1n
          : bytes.length <= 4
            ? Number(number)
            : number;
  }
  return members;
}

it('the staking program has the address in the IDL', () => {
  expect(STAKING_PROGRAM).toBe(stakePoolIdl.address);
});

describe.each([
  ['StakeEntry', STAKE_ENTRY],
  ['StakePool', STAKE_POOL],
] as const)('the layout of %s', (name, layout) => {
  const anyAccount = fc
    .uint8Array({ minLength: layout.size - 8, maxLength: layout.size - 8 })
    .map((rest) => Uint8Array.from([...layout.discriminator, ...rest]));

  it('has the size and the discriminator from the IDL', () => {
    const size = membersInIdl(name).reduce((sum, { type }) => sum + sizeOf(type), 8);
    const idl = stakePoolIdl.accounts.find((one) => one.name === name);
    expect([layout.size, [...layout.discriminator]]).toEqual([size, idl?.discriminator]);
  });

  it('decodes every member as the IDL does, for any bytes', () => {
    fc.assert(
      fc.property(anyAccount, (data) => {
        expect(layout.decode(data)).toEqual(decodeByIdl(name, data));
      }),
    );
  });

  it('encodes what it decodes', () => {
    const encode: (values: never) => Uint8Array = layout.encode;
    fc.assert(
      fc.property(anyAccount, (data) => {
        const values = layout.decode(data);
        expect(layout.decode(encode(values as never))).toEqual(values);
      }),
    );
  });

  it('decodes the same members with any number of reserved bytes', () => {
    const reserved = membersInIdl(name).findLast(({ type }) => typeof type !== 'string');
    const end = layout.size - sizeOf(reserved?.type ?? 'u8');
    fc.assert(
      fc.property(anyAccount, fc.nat(100), (data, extraBytes) => {
        const expected = layout.decode(data);
        expect(expected).not.toBeNull();
        expect(layout.decode(data.subarray(0, end))).toEqual(expected);
        expect(layout.decode(Uint8Array.from([...data, ...new Uint8Array(extraBytes)]))).toEqual(expected);
        expect(layout.decode(data.subarray(0, end - 1))).toBeNull();
      }),
    );
  });

  it('rejects any other discriminator', () => {
    expect(layout.decode(new Uint8Array(layout.size))).toBeNull();
  });
});

it('a stake has times that the API can send, whatever its entry contains', () => {
  const seconds = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  const empty = STAKE_ENTRY.decode(
    Uint8Array.from([...STAKE_ENTRY.discriminator, ...new Uint8Array(STAKE_ENTRY.size)]),
  );
  if (empty === null) throw new Error('An empty entry cannot be decoded.');
  fc.assert(
    fc.property(seconds, seconds, seconds, (createdAt, duration, closedAt) => {
      const stake = stakeOfEntry({ ...empty, createdAt, duration, closedAt });
      for (const at of [stake.createdAt, stake.unlocksAt, stake.closedAt ?? 0]) {
        expect(new Date(at).toISOString()).toMatch(/^\d{4}-/);
      }
    }),
    { examples: [[1_700_000_000n, 2n ** 63n, 0n]] },
  );
});
