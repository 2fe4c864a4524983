import {
  createBurnInstruction,
  createHarvestWithheldTokensToMintInstruction,
  createMintToInstruction,
  createTransferCheckedInstruction,
  createTransferCheckedWithFeeInstruction,
  createTransferInstruction,
  createWithdrawWithheldTokensFromAccountsInstruction,
} from '@solana/spl-token';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeMint, decodeTokenAccount, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './accounts.ts';
import {
  DECIMALS,
  type LedgerToRead,
  makeTokenWorld,
  startLedgerToRead,
  type TokenWorld,
} from './testing/ledger-transactions.ts';

let ledger: LedgerToRead;
beforeAll(async () => {
  ledger = await startLedgerToRead();
});
afterAll(() => ledger.close());

const place = fc.nat(2);
const step = fc.record({
  what: fc.constantFrom('transfer', 'transfer', 'mint', 'burn'),
  from: place,
  to: place,
  amount: fc.bigInt({ min: 0n, max: 1_000n }),
});

describe.each([
  ['SPL Token', TOKEN_PROGRAM],
  ['Token-2022', TOKEN_2022_PROGRAM],
])('any transaction of %s on the ledger', (_name, programAddress) => {
  it("has deltas that sum to what was minted minus what was burned, and the vault's delta matches its balance", async () => {
    const program = new PublicKey(programAddress);
    const world = makeTokenWorld(ledger, program);
    const { owner, alice, bob, minter, mint, vault, watched } = world;
    const wallets = [owner, alice, bob];
    const supply = () => {
      const account = ledger.chain.account(mint.toBase58());
      return (account && decodeMint(account)?.supply) ?? -1n;
    };
    const held = () => {
      const account = ledger.chain.account(vault.toBase58());
      return (account && decodeTokenAccount(account)?.amount) ?? -1n;
    };
    const build = ({
      what,
      from,
      to,
      amount,
    }: {
      what: string;
      from: number;
      to: number;
      amount: bigint;
    }) => {
      const sender = (wallets[from] ?? owner).publicKey;
      const account = world.account(sender);
      const target = world.account((wallets[to] ?? owner).publicKey);
      if (what === 'mint')
        return createMintToInstruction(mint, target, minter.publicKey, amount, [], program);
      if (what === 'burn') return createBurnInstruction(account, mint, sender, amount, [], program);
      return createTransferInstruction(account, target, sender, amount, [], program);
    };

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
        const [supplyBefore, heldBefore] = [supply(), held()];
        const instructions: TransactionInstruction[] = steps.map(build);
        const named = instructions.flatMap(({ keys }) => keys).filter(({ isSigner }) => isSigner);
        const signers = [minter, ...wallets].filter(
          (key) => key === minter || named.some(({ pubkey }) => pubkey.equals(key.publicKey)),
        );
        const transaction = ledger.send(signers, ...instructions);
        const { movement, deltas } = await ledger.read(transaction, watched, mint.toBase58());
        const sum = Object.values(deltas).reduce((total, delta) => total + delta, 0n);
        expect(sum).toBe(supply() - supplyBefore);
        expect(movement?.delta ?? 0n).toBe(held() - heldBefore);
      }),
      { numRuns: 25 },
    );

    const most = 2n ** 64n - 1n - supply();
    const minted = createMintToInstruction(mint, vault, minter.publicKey, most, [], program);
    const all = await ledger.read(ledger.send([minter], minted), watched, mint.toBase58());
    expect(all.movement).toMatchObject({ kind: 'deposit', delta: most });
    expect(supply()).toBe(2n ** 64n - 1n);
  });
});

const PROGRAM = new PublicKey(TOKEN_2022_PROGRAM);
/** Five percent. */
const FEE_BASIS_POINTS = 500;

let world: TokenWorld;
beforeAll(() => {
  world = makeTokenWorld(ledger, PROGRAM, FEE_BASIS_POINTS);
});

function transfer(from: PublicKey, to: PublicKey, owner: PublicKey, amount: bigint): TransactionInstruction {
  return createTransferCheckedInstruction(from, world.mint, to, owner, amount, DECIMALS, [], PROGRAM);
}

async function read(signer: TokenWorld['alice'], ...instructions: TransactionInstruction[]) {
  const transaction = ledger.send([signer], ...instructions);
  expect(transaction.err).toBeNull();
  return ledger.read(transaction, world.watched, world.mint.toBase58());
}

describe('a real transfer of a mint with a transfer fee, read through JSON-RPC', () => {
  it('into the vault counts as the received amount, from the wallet that sent more', async () => {
    const { alice, vault } = world;
    const from = world.account(alice.publicKey);
    const { movement, deltas } = await read(alice, transfer(from, vault, alice.publicKey, 1_000n));
    const wallet = alice.publicKey.toBase58();
    expect(movement).toEqual({ kind: 'deposit', wallet, delta: 950n, stakeEntry: null });
    expect(deltas).toEqual({ [from.toBase58()]: -1_000n, [vault.toBase58()]: 950n });
  });

  it('with transferCheckedWithFee is read the same way', async () => {
    const { alice, vault, mint } = world;
    const withFee = createTransferCheckedWithFeeInstruction(
      world.account(alice.publicKey),
      mint,
      vault,
      alice.publicKey,
      200n,
      DECIMALS,
      10n,
      [],
      PROGRAM,
    );
    const wallet = alice.publicKey.toBase58();
    expect((await read(alice, withFee)).movement).toMatchObject({ kind: 'deposit', wallet, delta: 190n });
  });

  it('out of the vault counts as the sent amount, to the wallet that received less', async () => {
    const { owner, bob, vault } = world;
    const to = world.account(bob.publicKey);
    const { movement, deltas } = await read(owner, transfer(vault, to, owner.publicKey, 400n));
    const wallet = bob.publicKey.toBase58();
    expect(movement).toEqual({ kind: 'withdraw', wallet, delta: -400n, stakeEntry: null });
    expect(deltas[to.toBase58()]).toBe(380n);
  });

  it('that sends fees withheld in the vault to the mint is no event: they are not part of its balance', async () => {
    const { alice, vault, mint } = world;
    const harvest = createHarvestWithheldTokensToMintInstruction(mint, [vault], PROGRAM);
    expect(await read(alice, harvest)).toMatchObject({
      movement: null,
      alarms: [],
      deltas: { [vault.toBase58()]: 0n },
    });
  });

  it('that withdraws withheld fees to the vault is a deposit by nobody', async () => {
    const { alice, bob, minter, vault, mint } = world;
    const to = world.account(bob.publicKey);
    await read(alice, transfer(world.account(alice.publicKey), to, alice.publicKey, 100n));
    const held = createWithdrawWithheldTokensFromAccountsInstruction(
      mint,
      vault,
      minter.publicKey,
      [],
      [to],
      PROGRAM,
    );
    // Twenty were withheld from what the vault sent to this account earlier, five from the last transfer.
    expect((await read(minter, held)).movement).toEqual({
      kind: 'deposit',
      wallet: null,
      delta: 25n,
      stakeEntry: null,
    });
  });
});
