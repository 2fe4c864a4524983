import {
  AddressLookupTableAccount,
  AddressLookupTableProgram,
  PublicKey,
  SystemProgram,
} from '@solana/web3.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { type LedgerChain, SLOT_MILLISECONDS } from './chain.ts';
import { accepted, openTestLedger, sendInstructions, signedWireV0 } from './testing/test-ledger.ts';
import { ledgerAddress, ledgerKeypair } from './wallets.ts';

const HOLDER = ledgerKeypair('holder-1');
const FRIENDS = ['holder-5', 'holder-6', 'holder-7'].map((name) => new PublicKey(ledgerAddress(name)));

let chain: LedgerChain;
let advance: (milliseconds: number) => void;
let table: PublicKey;
beforeEach(() => {
  ({ chain, advance } = openTestLedger());
  const [create, address] = AddressLookupTableProgram.createLookupTable({
    authority: HOLDER.publicKey,
    payer: HOLDER.publicKey,
    recentSlot: chain.clock().slot,
  });
  table = address;
  accepted(sendInstructions(chain, [HOLDER], [create, extendBy(FRIENDS.slice(0, 2))]));
});

function extendBy(addresses: PublicKey[]) {
  return AddressLookupTableProgram.extendLookupTable({
    authority: HOLDER.publicKey,
    payer: HOLDER.publicKey,
    lookupTable: table,
    addresses,
  });
}

/** A payment to one of the table's addresses, which the message does not hold itself. */
function payThroughTable(friend: number): Uint8Array {
  const known = new AddressLookupTableAccount({
    key: table,
    state: {
      deactivationSlot: 2n ** 64n - 1n,
      lastExtendedSlot: 0,
      lastExtendedSlotStartIndex: 0,
      addresses: FRIENDS,
    },
  });
  const pay = SystemProgram.transfer({
    fromPubkey: HOLDER.publicKey,
    toPubkey: FRIENDS[friend] ?? HOLDER.publicKey,
    lamports: 1_000,
  });
  return signedWireV0(chain, HOLDER, [pay], [known]);
}

describe('a version 0 transaction', () => {
  it('runs with accounts from a lookup table, and is stored with them', () => {
    advance(SLOT_MILLISECONDS);
    const before = chain.account(FRIENDS[1]?.toBase58() ?? '')?.lamports ?? 0n;
    const transaction = accepted(chain.send(payThroughTable(1), { skipPreflight: false }));
    expect(transaction.loadedAddresses).toEqual({ writable: [FRIENDS[1]?.toBase58()], readonly: [] });
    expect(transaction.postBalances.at(-1)).toBe(before + 1_000n);
    expect(transaction.preBalances).toHaveLength(3);
    const found = chain.signaturesFor(FRIENDS[1]?.toBase58() ?? '', { limit: 1 });
    expect(found).toMatchObject({ rows: [{ signature: transaction.signature }] });
  });

  it('cannot use an entry in the slot that appended it', () => {
    advance(SLOT_MILLISECONDS);
    accepted(sendInstructions(chain, [HOLDER], [extendBy(FRIENDS.slice(2))]));
    expect(chain.send(payThroughTable(2), { skipPreflight: true })).toMatchObject({
      err: 'InvalidAddressLookupTableIndex',
    });
    expect(chain.send(payThroughTable(0), { skipPreflight: true }).kind).toBe('accepted');
    advance(SLOT_MILLISECONDS);
    expect(chain.send(payThroughTable(2), { skipPreflight: true }).kind).toBe('accepted');
  });

  it('is refused where the table is not there, is no table, or was deactivated long ago', () => {
    advance(SLOT_MILLISECONDS);
    const deactivate = AddressLookupTableProgram.deactivateLookupTable({
      authority: HOLDER.publicKey,
      lookupTable: table,
    });
    accepted(sendInstructions(chain, [HOLDER], [deactivate]));
    expect(chain.send(payThroughTable(0), { skipPreflight: true }).kind).toBe('accepted');
    advance(600 * SLOT_MILLISECONDS);
    expect(chain.send(payThroughTable(0), { skipPreflight: true })).toMatchObject({
      err: 'AddressLookupTableNotFound',
    });
    table = new PublicKey(ledgerAddress('no table'));
    expect(chain.send(payThroughTable(0), { skipPreflight: true })).toMatchObject({
      err: 'AddressLookupTableNotFound',
    });
    table = FRIENDS[0] ?? table;
    expect(chain.send(payThroughTable(1), { skipPreflight: true })).toMatchObject({
      err: 'InvalidAddressLookupTableOwner',
    });
  });
});
