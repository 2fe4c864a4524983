import { PublicKey, SystemProgram } from '@solana/web3.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LEDGER } from './addresses.ts';
import type { LedgerChain } from './chain.ts';
import { LOADER_PROGRAMS, SYSVAR_OWNER, TOKEN_PROGRAM } from './programs.ts';
import { createSvm } from './svm.ts';
import { accepted, openTestLedger, sendInstructions, tokenAmount } from './testing/test-ledger.ts';
import { depositWire } from './transactions.ts';
import { ledgerKeypair } from './wallets.ts';

const HOLDER = ledgerKeypair('holder-1');

let chain: LedgerChain;
let advance: (milliseconds: number) => void;
beforeEach(() => {
  ({ chain, advance } = openTestLedger());
});
afterEach(() => chain.close());

/** The data of each account that a program owns. */
function dataOf(program: string): Uint8Array[] {
  return [...chain.programAccounts(program)].map(([, account]) => account.data);
}

function isSameBuffers(one: readonly Uint8Array[], other: readonly Uint8Array[]): boolean {
  return one.length === other.length && one.every((data, index) => data === other[index]);
}

describe('reading accounts again and again copies nothing, as copies of the runtime pile up to gigabytes', () => {
  it.each([...LOADER_PROGRAMS, TOKEN_PROGRAM, LEDGER.stakeProgram])('those of %s', (program) => {
    expect(isSameBuffers(dataOf(program), dataOf(program))).toBe(true);
  });

  it('a single one', () => {
    expect(chain.account(LEDGER.vault)?.data).toBe(chain.account(LEDGER.vault)?.data);
    expect(chain.account(LEDGER.vault)).not.toBeNull();
  });

  it('the programs and their data, for each transaction', () => {
    const svm = createSvm();
    const large = [...LOADER_PROGRAMS]
      .flatMap((loader) => svm.readOwned(loader))
      .filter(([, { data }]) => data.length > 1_000);
    expect(large.length).toBeGreaterThan(4);
    for (const [address] of large) expect(svm.read(address)?.data).toBe(svm.read(address)?.data);
  });
});

describe('what is read is as of the newest transaction', () => {
  it('after one that went through', () => {
    const before = tokenAmount(chain, LEDGER.vault);
    const wire = depositWire(HOLDER, { amount: 7n }, chain.latestBlockhash().blockhash);
    accepted(chain.send(wire, { skipPreflight: false }));
    expect(tokenAmount(chain, LEDGER.vault)).toBe(before + 7n);
  });

  it('not of one that was only simulated', () => {
    const before = tokenAmount(chain, LEDGER.vault);
    const wire = depositWire(HOLDER, { amount: 7n }, chain.latestBlockhash().blockhash);
    const accounts = [LEDGER.vault];
    const outcome = chain.simulate(wire, { verifySignatures: true, replaceBlockhash: false, accounts });
    const simulated = outcome.kind === 'simulated' ? outcome.result.accounts[0] : null;
    expect(Buffer.from(simulated?.data ?? []).readBigUInt64LE(64)).toBe(before + 7n);
    expect(tokenAmount(chain, LEDGER.vault)).toBe(before);
  });

  it('the lamports of a program that was given some', () => {
    const before = chain.account(TOKEN_PROGRAM)?.lamports ?? 0n;
    const toPubkey = new PublicKey(TOKEN_PROGRAM);
    const gift = SystemProgram.transfer({ fromPubkey: HOLDER.publicKey, toPubkey, lamports: 5 });
    accepted(sendInstructions(chain, [HOLDER], [gift]));
    expect(chain.account(TOKEN_PROGRAM)?.lamports).toBe(before + 5n);
  });

  it('the clock sysvar, which no transaction changes', () => {
    const clockSlot = (): bigint | undefined => {
      // The runtime sets it with each run.
      const wire = depositWire(HOLDER, { amount: 1n }, chain.latestBlockhash().blockhash);
      accepted(chain.send(wire, { skipPreflight: false }));
      const [, account] =
        [...chain.programAccounts(SYSVAR_OWNER)].find(([address]) => address.startsWith('SysvarC1ock')) ?? [];
      return account && Buffer.from(account.data).readBigUInt64LE(0);
    };
    const before = clockSlot();
    advance(4_000);
    expect(clockSlot()).toBe((before ?? 0n) + 10n);
  });
});
