import {
  AuthorityType,
  createApproveInstruction,
  createSetAuthorityInstruction,
  createTransferCheckedInstruction,
  createTransferInstruction,
} from '@solana/spl-token';
import { AddressLookupTableAccount, AddressLookupTableProgram, PublicKey } from '@solana/web3.js';
import { LEDGER } from '../../ledger/addresses.ts';
import { type LedgerTransaction, SLOT_MILLISECONDS } from '../../ledger/chain.ts';
import { accepted, signedWireV0 } from '../../ledger/testing/test-ledger.ts';
import {
  bdAccountOf,
  LOCK_SECONDS,
  moveBd,
  openTokenAccount,
  stakeInstruction,
  unstakeInstruction,
} from '../../ledger/transactions.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../accounts.ts';
import type { WatchedAccount } from '../classify.ts';
import { type Answers, DECIMALS, type LedgerToRead, makeTokenWorld, POOL } from './ledger-transactions.ts';

/** A node's answer for a real transaction, and the mint and account to decode it for. */
export interface Sample {
  readonly name: string;
  readonly answers: Answers;
  readonly watched: WatchedAccount;
  readonly mint: string;
}

/** One transaction of every kind that is decoded differently, executed on the ledger and read over JSON-RPC. */
export async function sampleAnswers(ledger: LedgerToRead): Promise<readonly Sample[]> {
  const spl = makeTokenWorld(ledger, new PublicKey(TOKEN_PROGRAM));
  const taxed = makeTokenWorld(ledger, new PublicKey(TOKEN_2022_PROGRAM), 500);
  const { alice, bob, owner, minter } = spl;
  const wallet = alice.publicKey.toBase58();
  const samples: Sample[] = [];
  const keep = async (
    name: string,
    transaction: LedgerTransaction,
    watched: WatchedAccount,
    mint: PublicKey | string,
  ) => {
    const answers = await ledger.answers(transaction);
    samples.push({ name, answers, watched, mint: mint.toString() });
  };

  const into = (amount: bigint, from = alice) =>
    createTransferInstruction(spl.account(from.publicKey), spl.vault, from.publicKey, amount);
  await keep('transfer', ledger.send([alice], into(5n)), spl.watched, spl.mint);
  const crowd = ledger.send([alice, bob], into(4n), into(4n, bob));
  await keep('transfers of two wallets', crowd, spl.watched, spl.mint);
  await keep('failed', ledger.send([alice], into(5n), into(2n ** 60n)), spl.watched, spl.mint);

  const fee = createTransferCheckedInstruction(
    taxed.account(alice.publicKey),
    taxed.mint,
    taxed.vault,
    alice.publicKey,
    1_000n,
    DECIMALS,
    [],
    taxed.program,
  );
  await keep('transfer fee', ledger.send([alice], fee), taxed.watched, taxed.mint);

  const [create, table] = AddressLookupTableProgram.createLookupTable({
    authority: minter.publicKey,
    payer: minter.publicKey,
    recentSlot: ledger.chain.clock().slot,
  });
  const addresses = [spl.account(bob.publicKey), spl.mint, spl.vault];
  const extend = AddressLookupTableProgram.extendLookupTable({
    authority: minter.publicKey,
    payer: minter.publicKey,
    lookupTable: table,
    addresses,
  });
  ledger.send([minter], create, extend);
  ledger.advance(SLOT_MILLISECONDS);
  const known = new AddressLookupTableAccount({
    key: table,
    state: {
      deactivationSlot: 2n ** 64n - 1n,
      lastExtendedSlot: 0,
      lastExtendedSlotStartIndex: 0,
      addresses,
    },
  });
  const checked = createTransferCheckedInstruction(
    spl.vault,
    spl.mint,
    spl.account(bob.publicKey),
    owner.publicKey,
    7n,
    DECIMALS,
  );
  const lookedUp = signedWireV0(ledger.chain, owner, [checked], [known]);
  const sent = accepted(ledger.chain.send(lookedUp, { skipPreflight: false }));
  await keep('lookup table', sent, spl.watched, spl.mint);

  const staked = ledger.send(
    [alice],
    openTokenAccount(wallet, wallet, LEDGER.stakeMint),
    stakeInstruction(wallet, { nonce: 1, amount: 600n, duration: LOCK_SECONDS }),
  );
  await keep('stake', staked, POOL, LEDGER.mint);
  ledger.advance(Number(LOCK_SECONDS) * 1_000 + 1_000);
  const restaked = ledger.send(
    [alice],
    unstakeInstruction(wallet, { nonce: 1, closesEntry: true }),
    stakeInstruction(wallet, { nonce: 2, amount: 500n, duration: LOCK_SECONDS }),
  );
  await keep('unstake and a smaller stake', restaked, POOL, LEDGER.mint);

  const gift = moveBd(wallet, bdAccountOf(wallet), LEDGER.stakeVault, 9n);
  const more = stakeInstruction(wallet, { nonce: 3, amount: 40n, duration: LOCK_SECONDS });
  const again = stakeInstruction(wallet, { nonce: 4, amount: 30n, duration: LOCK_SECONDS });
  await keep('two stakes and a gift', ledger.send([alice], more, gift, again), POOL, LEDGER.mint);

  const approve = createApproveInstruction(spl.vault, bob.publicKey, owner.publicKey, 5n);
  const closer = createSetAuthorityInstruction(
    spl.vault,
    owner.publicKey,
    AuthorityType.CloseAccount,
    bob.publicKey,
  );
  const handOver = createSetAuthorityInstruction(
    spl.vault,
    owner.publicKey,
    AuthorityType.AccountOwner,
    bob.publicKey,
  );
  await keep('alarms', ledger.send([owner], approve, closer, handOver), spl.watched, spl.mint);
  return samples;
}
