import { AuthorityType, createApproveInstruction, createSetAuthorityInstruction } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { LEDGER } from '../../ledger/addresses.ts';
import type { LedgerTransaction } from '../../ledger/chain.ts';
import { acceptedTransaction, signedWireV0 } from '../../ledger/testing/test-ledger.ts';
import {
  bdAccountOf,
  LOCK_SECONDS,
  moveBdInstruction,
  openTokenAccountInstruction,
  stakeInstruction,
  unstakeInstruction,
} from '../../ledger/transactions.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../accounts.ts';
import type { WatchedAccount } from '../classify.ts';
import {
  createLookupTable,
  createTestToken,
  type EncodedAnswers,
  type LedgerToRead,
  WATCHED_POOL_VAULT,
} from './ledger-transactions.ts';

/** A node's responses for a real transaction, and the mint and account for which to decode them. */
export interface Sample {
  readonly name: string;
  readonly answers: EncodedAnswers;
  readonly watched: WatchedAccount;
  readonly mint: string;
}

/** One transaction of each kind that the decoder distinguishes, executed on the ledger and read over JSON-RPC. */
export async function sampleAnswers(ledger: LedgerToRead): Promise<readonly Sample[]> {
  const spl = createTestToken(ledger, new PublicKey(TOKEN_PROGRAM));
  const withFee = createTestToken(ledger, new PublicKey(TOKEN_2022_PROGRAM), 500);
  const { alice, bob, owner, minter } = spl;
  const wallet = alice.publicKey.toBase58();
  const samples: Sample[] = [];
  const add = async (
    name: string,
    transaction: LedgerTransaction,
    watched: WatchedAccount,
    mint: PublicKey | string,
  ) => {
    const answers = await ledger.answers(transaction);
    samples.push({ name, answers, watched, mint: mint.toString() });
  };

  const deposit = (amount: bigint, from = alice) => spl.transfer(from.publicKey, amount);
  await add('transfer', ledger.send([alice], deposit(5n)), spl.watched, spl.mint);
  const two = ledger.send([alice, bob], deposit(4n), deposit(4n, bob));
  await add('transfers from two wallets', two, spl.watched, spl.mint);
  await add('failed', ledger.send([alice], deposit(5n), deposit(2n ** 60n)), spl.watched, spl.mint);

  const feeTransfer = withFee.transferChecked(alice.publicKey, 1_000n);
  await add('transfer fee', ledger.send([alice], feeTransfer), withFee.watched, withFee.mint);

  const to = spl.account(bob.publicKey);
  const table = createLookupTable(ledger, minter, [to, spl.mint, spl.vault]);
  const checked = spl.transferChecked(owner.publicKey, 7n, to);
  const lookedUp = signedWireV0(ledger.chain, owner, [checked], [table]);
  const sent = acceptedTransaction(ledger.chain.send(lookedUp, { skipPreflight: false }));
  await add('lookup table', sent, spl.watched, spl.mint);

  const staked = ledger.send(
    [alice],
    openTokenAccountInstruction(wallet, wallet, LEDGER.stakeMint),
    stakeInstruction(wallet, { nonce: 1, amount: 600n, duration: LOCK_SECONDS }),
  );
  await add('stake', staked, WATCHED_POOL_VAULT, LEDGER.mint);
  ledger.advance(Number(LOCK_SECONDS) * 1_000 + 1_000);
  const restaked = ledger.send(
    [alice],
    unstakeInstruction(wallet, { nonce: 1, closesEntry: true }),
    stakeInstruction(wallet, { nonce: 2, amount: 500n, duration: LOCK_SECONDS }),
  );
  await add('unstake and a smaller stake', restaked, WATCHED_POOL_VAULT, LEDGER.mint);

  const gift = moveBdInstruction(wallet, bdAccountOf(wallet), LEDGER.stakeVault, 9n);
  const more = stakeInstruction(wallet, { nonce: 3, amount: 40n, duration: LOCK_SECONDS });
  const again = stakeInstruction(wallet, { nonce: 4, amount: 30n, duration: LOCK_SECONDS });
  await add(
    'two stakes and a gift',
    ledger.send([alice], more, gift, again),
    WATCHED_POOL_VAULT,
    LEDGER.mint,
  );

  const approve = createApproveInstruction(spl.vault, bob.publicKey, owner.publicKey, 5n);
  const changes = [AuthorityType.CloseAccount, AuthorityType.AccountOwner].map((type) =>
    createSetAuthorityInstruction(spl.vault, owner.publicKey, type, bob.publicKey),
  );
  await add('alarms', ledger.send([owner], approve, ...changes), spl.watched, spl.mint);
  return samples;
}
