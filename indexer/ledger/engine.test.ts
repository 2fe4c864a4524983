import {
  ComputeBudgetProgram,
  type Keypair,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { LEDGER } from './addresses.ts';
import { AirdropRefusedError, FINALITY_SLOTS, type LedgerChain, SLOT_MILLISECONDS } from './chain.ts';
import { TOKEN_PROGRAM } from './programs.ts';
import { accepted, openTestLedger, sendInstructions, tokenAmount } from './testing/test-ledger.ts';
import { bdAccountOf, instruction, moveBd, signer, writable } from './token-instructions.ts';
import { depositWire, signedWire, transferWire } from './transactions.ts';
import { ledgerAddress, ledgerKeypair } from './wallets.ts';

const HOLDER = ledgerKeypair('holder-1');
const STRANGER = ledgerKeypair('stranger');
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

let chain: LedgerChain;
let advance: (milliseconds: number) => void;
beforeEach(() => {
  ({ chain, advance } = openTestLedger());
});

/** More BD than the wallet has: fails in the token program with `InsufficientFunds`, its error 1. */
function overdraft(): Uint8Array {
  return depositWire(HOLDER, { amount: 10n ** 15n }, chain.latestBlockhash().blockhash);
}

describe('sending a transaction', () => {
  it('stores it with balances before and after, and moves the tokens', () => {
    const before = tokenAmount(chain, LEDGER.vault);
    const wire = depositWire(HOLDER, { amount: 5_000_000n }, chain.latestBlockhash().blockhash);
    const transaction = accepted(chain.send(wire, { skipPreflight: false }));
    const vault = transaction.postTokenBalances.find((balance) => balance.owner === LEDGER.vaultOwner);
    expect(tokenAmount(chain, LEDGER.vault)).toBe(before + 5_000_000n);
    expect(vault).toMatchObject({ mint: LEDGER.mint, amount: before + 5_000_000n, decimals: 6 });
    expect(transaction.fee).toBe(5_000n);
    expect(chain.transaction(transaction.signature)).toEqual(transaction);
  });

  it('counts positions within a slot and starts anew with the next', () => {
    const send = (amount: bigint) =>
      accepted(
        chain.send(depositWire(HOLDER, { amount }, chain.latestBlockhash().blockhash), {
          skipPreflight: false,
        }),
      );
    const [first, second] = [send(1n), send(2n)];
    advance(SLOT_MILLISECONDS);
    const third = send(3n);
    expect([first.position, second.position, third.position]).toEqual([0, 1, 0]);
    expect([second.slot - first.slot, third.slot - first.slot]).toEqual([0, 1]);
  });

  it('takes the same transaction once', () => {
    const wire = depositWire(HOLDER, { amount: 1n }, chain.latestBlockhash().blockhash);
    accepted(chain.send(wire, { skipPreflight: false }));
    expect(chain.send(wire, { skipPreflight: true })).toMatchObject({
      kind: 'rejected',
      err: 'AlreadyProcessed',
    });
  });

  it('refuses a blockhash that it never gave', () => {
    const wire = depositWire(HOLDER, { amount: 1n }, LEDGER.mint);
    expect(chain.send(wire, { skipPreflight: true })).toMatchObject({ err: 'BlockhashNotFound' });
  });

  it('takes a blockhash for 150 slots and no longer', () => {
    const wires = [1n, 2n].map((amount) =>
      depositWire(HOLDER, { amount }, chain.latestBlockhash().blockhash),
    ) as [Uint8Array, Uint8Array];
    advance(150 * SLOT_MILLISECONDS);
    expect(chain.send(wires[0], { skipPreflight: true }).kind).toBe('accepted');
    advance(SLOT_MILLISECONDS);
    expect(chain.send(wires[1], { skipPreflight: true })).toMatchObject({ err: 'BlockhashNotFound' });
  });

  it('refuses a signature that is not over these bytes', () => {
    const wire = depositWire(HOLDER, { amount: 1n }, chain.latestBlockhash().blockhash);
    // The last byte before the decimals is the amount's highest: the transaction stays well-formed.
    wire[wire.length - 2] = 1;
    expect(chain.send(wire, { skipPreflight: true })).toMatchObject({ err: 'SignatureFailure' });
  });

  it('refuses a signer whose key anyone can sign for', () => {
    const wire = Buffer.from(signedWire([], [HOLDER], chain.latestBlockhash().blockhash));
    // The curve's neutral point as key and as R, with S = 0: the equation holds for every message.
    const neutral = Uint8Array.from([1, ...new Uint8Array(31)]);
    wire.set([...neutral, ...new Uint8Array(32)], 1);
    wire.set(neutral, 65 + 4);
    expect(chain.send(wire, { skipPreflight: true })).toMatchObject({ err: 'SignatureFailure' });
  });

  it('charges nobody else where the first account cannot pay', () => {
    const holder = HOLDER.publicKey.toBase58();
    const before = chain.account(holder)?.lamports;
    const message = new TransactionMessage({
      payerKey: new PublicKey('Sysvar1nstructions1111111111111111111111111'),
      recentBlockhash: chain.latestBlockhash().blockhash,
      // The runtime would take the fee from the next signer, read-only as it is.
      instructions: [instruction(MEMO, [{ ...signer(holder), isWritable: false }], Buffer.from([0xff]))],
    }).compileToLegacyMessage();
    const options = { verifySignatures: false, replaceBlockhash: true, accounts: [] };
    const outcome = chain.simulate(new VersionedTransaction(message).serialize(), options);
    expect(outcome).toMatchObject({ result: { err: 'AccountNotFound' } });
    expect(chain.account(holder)?.lamports).toBe(before);
  });

  it('refuses a payer that is not there, and one that cannot pay the fee', () => {
    const empty = () => signedWire([], [STRANGER], chain.latestBlockhash().blockhash);
    expect(chain.send(empty(), { skipPreflight: true })).toMatchObject({ err: 'AccountNotFound' });
    chain.airdrop(STRANGER.publicKey.toBase58(), chain.rentExemption(0));
    const dear = [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 1_000_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 2_000_000 }),
    ];
    const outcome = sendInstructions(chain, [STRANGER], dear, { skipPreflight: true });
    expect(outcome).toMatchObject({ kind: 'rejected', err: 'InsufficientFundsForFee' });
  });

  it('refuses programs that are not there and the loaders', () => {
    const call = (program: string) =>
      sendInstructions(chain, [HOLDER], [instruction(program, [])], { skipPreflight: true });
    expect(call(ledgerAddress('nothing'))).toMatchObject({ err: 'ProgramAccountNotFound' });
    expect(call('BPFLoaderUpgradeab1e11111111111111111111111')).toMatchObject({
      err: { InstructionError: [0, 'UnsupportedProgramId'] },
    });
  });

  it('leaves no trace of a transaction that fails, when asked to check first', () => {
    const lamports = chain.account(HOLDER.publicKey.toBase58())?.lamports;
    const outcome = chain.send(overdraft(), { skipPreflight: false });
    expect(outcome).toMatchObject({ kind: 'rejected', err: { InstructionError: [0, { Custom: 1 }] } });
    expect(chain.account(HOLDER.publicKey.toBase58())?.lamports).toBe(lamports);
  });

  it('stores a transaction that fails, with its error, log and fee, when told to skip the check', () => {
    const vault = tokenAmount(chain, LEDGER.vault);
    const lamports = chain.account(HOLDER.publicKey.toBase58())?.lamports ?? 0n;
    const transaction = accepted(chain.send(overdraft(), { skipPreflight: true }));
    expect(transaction.err).toEqual({ InstructionError: [0, { Custom: 1 }] });
    expect(transaction.logs.at(-1)).toMatch(/failed: custom program error: 0x1/);
    expect(chain.account(HOLDER.publicKey.toBase58())?.lamports).toBe(lamports - 5_000n);
    expect(tokenAmount(chain, LEDGER.vault)).toBe(vault);
    expect(chain.signaturesFor(LEDGER.vault, { limit: 1 })).toMatchObject({
      rows: [{ signature: transaction.signature, err: transaction.err }],
    });
  });

  it('lists memos as JSON-RPC does', () => {
    const memo = new TransactionInstruction({
      programId: new PublicKey(MEMO),
      keys: [signer(HOLDER.publicKey.toBase58())],
      data: Buffer.from('rent, März'),
    });
    accepted(sendInstructions(chain, [HOLDER], [memo]));
    const found = chain.signaturesFor(HOLDER.publicKey.toBase58(), { limit: 1 });
    expect(found).toMatchObject({ rows: [{ memo: '[11] rent, März' }] });
  });

  it('tells listeners what happened, and goes on when one of them fails', () => {
    const seen: string[] = [];
    const changed: string[] = [];
    const quiet = console.error;
    console.error = () => undefined;
    chain.on('transaction', () => {
      throw new Error('a listener breaks');
    });
    const off = chain.on('transaction', (transaction) => seen.push(transaction.signature));
    chain.on('accountChange', (address) => changed.push(address));
    const send = (amount: bigint) =>
      accepted(
        chain.send(depositWire(HOLDER, { amount }, chain.latestBlockhash().blockhash), {
          skipPreflight: false,
        }),
      );
    const first = send(1n);
    off();
    send(2n);
    console.error = quiet;
    expect(seen).toEqual([first.signature]);
    expect(new Set(changed)).toEqual(
      new Set([HOLDER.publicKey.toBase58(), bdAccountOf(HOLDER.publicKey.toBase58()), LEDGER.vault]),
    );
  });
});

describe('signatures of an address', () => {
  it('page newest first between two signatures, and oldest first after a place', () => {
    const sent = [1n, 2n, 3n, 4n, 5n].map((amount) => {
      advance(SLOT_MILLISECONDS);
      const wire = depositWire(HOLDER, { amount }, chain.latestBlockhash().blockhash);
      return accepted(chain.send(wire, { skipPreflight: false }));
    });
    const [a, b, c, d, e] = sent.map((transaction) => transaction.signature) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const page = (query: { before?: string; until?: string; limit: number }) => {
      const found = chain.signaturesFor(LEDGER.vault, query);
      return found.kind === 'found' ? found.rows.map((row) => row.signature) : found;
    };
    expect(page({ limit: 2 })).toEqual([e, d]);
    expect(page({ before: d, limit: 2 })).toEqual([c, b]);
    expect(page({ before: e, until: b, limit: 10 })).toEqual([d, c]);
    expect(page({ until: LEDGER.mint, limit: 1 })).toEqual({
      kind: 'unknown-cursor',
      signature: LEDGER.mint,
    });
    const after = { slot: sent[1]?.slot ?? 0, position: sent[1]?.position ?? 0 };
    const rows = chain.signaturesAscending(LEDGER.vault, after, 2);
    expect(rows.map((row) => row.signature)).toEqual([c, d]);
    expect(
      chain
        .signaturesAscending(LEDGER.vault, null, 100)
        .map((row) => row.signature)
        .slice(-5),
    ).toEqual([a, b, c, d, e]);
  });
});

describe('simulating a transaction', () => {
  const options = { verifySignatures: true, replaceBlockhash: false, accounts: [LEDGER.vault] };

  it('answers what would be, and changes nothing', () => {
    const before = tokenAmount(chain, LEDGER.vault);
    const wire = depositWire(HOLDER, { amount: 7n }, chain.latestBlockhash().blockhash);
    const outcome = chain.simulate(wire, options);
    const [vault] = outcome.kind === 'simulated' ? outcome.result.accounts : [];
    expect(Buffer.from(vault?.data ?? []).readBigUInt64LE(64)).toBe(before + 7n);
    expect(tokenAmount(chain, LEDGER.vault)).toBe(before);
    expect(chain.transaction(signatureOf(wire))).toBeNull();
    expect(chain.send(wire, { skipPreflight: false }).kind).toBe('accepted');
  });

  it('leaves no account behind that the transaction would have made', () => {
    const stranger = STRANGER.publicKey.toBase58();
    const wire = transferWire(HOLDER, { to: stranger, amount: 1n }, chain.latestBlockhash().blockhash);
    expect(chain.simulate(wire, options)).toMatchObject({ result: { err: null } });
    expect(chain.account(bdAccountOf(stranger))).toBeNull();
    expect([...chain.tokenAccounts({ owner: stranger })]).toEqual([]);
  });

  it('needs no valid signature or blockhash where told so', () => {
    const unsigned = new VersionedTransaction(
      VersionedTransaction.deserialize(depositWire(HOLDER, { amount: 1n }, LEDGER.mint)).message,
    ).serialize();
    expect(chain.simulate(unsigned, options)).toMatchObject({ result: { err: 'SignatureFailure' } });
    const lenient = { ...options, verifySignatures: false };
    expect(chain.simulate(unsigned, lenient)).toMatchObject({ result: { err: 'BlockhashNotFound' } });
    expect(chain.simulate(unsigned, { ...lenient, replaceBlockhash: true })).toMatchObject({
      result: { err: null },
    });
  });

  it('answers the error and the log of what would fail', () => {
    expect(chain.simulate(overdraft(), options)).toMatchObject({
      result: { err: { InstructionError: [0, { Custom: 1 }] } },
    });
  });
});

describe('the faucet', () => {
  it('sends lamports as often as asked, twice in one slot too', () => {
    const address = STRANGER.publicKey.toBase58();
    const signatures = [chain.airdrop(address, 2_000_000n), chain.airdrop(address, 2_000_000n)];
    expect(new Set(signatures).size).toBe(2);
    expect(chain.account(address)?.lamports).toBe(4_000_000n);
    expect(() => chain.airdrop('no address', 1n)).toThrow(RangeError);
  });

  it('says in plain words what it cannot do', () => {
    const address = STRANGER.publicKey.toBase58();
    const least = chain.rentExemption(0);
    expect(() => chain.airdrop(address, 10n ** 18n)).toThrow(`The faucet has fewer than ${10n ** 18n}`);
    expect(() => chain.airdrop(address, 1n)).toThrow(
      new AirdropRefusedError(`1 lamports are too few: a new account needs at least ${least}`),
    );
  });
});

describe('the clock', () => {
  it('has a slot every 400 ms, never goes back, and knows the time of each slot', () => {
    const start = chain.clock();
    advance(10_000);
    const later = chain.clock();
    advance(-5_000);
    expect(later.slot - start.slot).toBe(25);
    expect(chain.clock()).toEqual(later);
    expect(chain.blockTime(start.slot)).toBe(start.unixTime);
    expect(chain.blockTime(later.slot + 1)).toBeNull();
    expect(chain.blockTime(-1)).toBeNull();
    expect(FINALITY_SLOTS).toBe(32);
  });
});

describe('indexes', () => {
  it('know the token accounts of an owner and of a mint, and what a program owns', () => {
    const owner = STRANGER.publicKey.toBase58();
    const wire = transferWire(HOLDER, { to: owner, amount: 9n }, chain.latestBlockhash().blockhash);
    accepted(chain.send(wire, { skipPreflight: false }));
    expect([...chain.tokenAccounts({ owner })].map(([address]) => address)).toEqual([bdAccountOf(owner)]);
    const holders = [...chain.tokenAccounts({ mint: LEDGER.mint })].map(([address]) => address);
    expect(holders).toContain(bdAccountOf(owner));
    expect([...chain.programAccounts(LEDGER.stakeProgram)].map(([address]) => address)).toEqual([
      LEDGER.stakePool,
    ]);
  });

  it('follow a token account to its new owner', () => {
    const [from, to] = ['first owner', 'second owner'].map(ledgerKeypair) as [Keypair, Keypair];
    const owner = from.publicKey.toBase58();
    chain.airdrop(owner, 10_000_000n);
    const wire = transferWire(HOLDER, { to: owner, amount: 9n }, chain.latestBlockhash().blockhash);
    accepted(chain.send(wire, { skipPreflight: false }));
    const account = bdAccountOf(owner);
    // SetAuthority of the account's owner (2) to the key that follows (1).
    const give = instruction(
      TOKEN_PROGRAM,
      [writable(account), signer(owner)],
      Uint8Array.of(6, 2, 1),
      to.publicKey.toBytes(),
    );
    accepted(sendInstructions(chain, [from], [give]));
    expect([...chain.tokenAccounts({ owner })]).toEqual([]);
    const held = [...chain.tokenAccounts({ owner: to.publicKey.toBase58() })];
    expect(held.map(([address]) => address)).toEqual([account]);
  });

  it('forget an account that was closed', () => {
    const address = STRANGER.publicKey.toBase58();
    chain.airdrop(address, 10_000_000n);
    accepted(
      chain.send(transferWire(HOLDER, { to: address, amount: 9n }, chain.latestBlockhash().blockhash), {
        skipPreflight: false,
      }),
    );
    const account = bdAccountOf(address);
    const empty = moveBd(address, account, bdAccountOf(HOLDER.publicKey.toBase58()), 9n);
    const close = instruction(
      TOKEN_PROGRAM,
      [
        { pubkey: new PublicKey(account), isSigner: false, isWritable: true },
        { pubkey: STRANGER.publicKey, isSigner: false, isWritable: true },
        signer(address),
      ],
      Uint8Array.of(9),
    );
    accepted(sendInstructions(chain, [STRANGER], [empty, close]));
    expect(chain.account(account)).toBeNull();
    expect([...chain.tokenAccounts({ owner: address })]).toEqual([]);
  });
});

function signatureOf(wire: Uint8Array): string {
  return Buffer.from(wire.subarray(1, 65)).toString('hex');
}
