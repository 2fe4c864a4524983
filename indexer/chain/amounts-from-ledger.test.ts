import {
  createBurnInstruction,
  createHarvestWithheldTokensToMintInstruction,
  createWithdrawWithheldTokensFromAccountsInstruction as createWithdrawal,
} from '@solana/spl-token';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { decodeMint, decodeTokenAccount, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './accounts.ts';
import {
  createTestToken,
  type LedgerToRead,
  startLedgerToRead,
  type TestToken,
} from './testing/ledger-transactions.ts';

let ledger: LedgerToRead;
beforeAll(async () => {
  ledger = await startLedgerToRead();
  return () => ledger.close();
});

const step = fc.record({
  kind: fc.constantFrom('transfer', 'transfer', 'mint', 'burn'),
  from: fc.nat(2),
  to: fc.nat(2),
  amount: fc.bigInt({ min: 0n, max: 1_000n }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

describe.each([
  ['SPL Token', TOKEN_PROGRAM],
  ['Token-2022', TOKEN_2022_PROGRAM],
])('any transaction of %s on the ledger', (_name, programAddress) => {
  it("has deltas that sum to what was minted minus what was burned, and the vault's delta matches its balance", async () => {
    const program = new PublicKey(programAddress);
    const token = createTestToken(ledger, program);
    const { owner, alice, bob, minter, mint, vault, watched } = token;
    const wallets = [owner, alice, bob];
    const supply = () => {
      const account = ledger.chain.account(mint.toBase58());
      return (account && decodeMint(account)?.supply) ?? -1n;
    };
    const balance = () => {
      const account = ledger.chain.account(vault.toBase58());
      return (account && decodeTokenAccount(account)?.amount) ?? -1n;
    };
    const build = ({ kind, from, to, amount }: Step) => {
      const sender = (wallets[from] ?? owner).publicKey;
      const target = token.account((wallets[to] ?? owner).publicKey);
      if (kind === 'mint') return token.mintTo(target, amount);
      if (kind === 'transfer') return token.transfer(sender, amount, target);
      return createBurnInstruction(token.account(sender), mint, sender, amount, [], program);
    };

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
        const [supplyBefore, balanceBefore] = [supply(), balance()];
        const instructions = steps.map(build);
        const signerKeys = instructions.flatMap(({ keys }) => keys).filter(({ isSigner }) => isSigner);
        const signers = [minter, ...wallets].filter(
          (key) => key === minter || signerKeys.some(({ pubkey }) => pubkey.equals(key.publicKey)),
        );
        const transaction = ledger.send(signers, ...instructions);
        const { movement, deltas } = await ledger.read(transaction, watched, mint.toBase58());
        const sum = Object.values(deltas).reduce((total, delta) => total + delta, 0n);
        expect(sum).toBe(supply() - supplyBefore);
        expect(movement?.delta ?? 0n).toBe(balance() - balanceBefore);
      }),
      { numRuns: 10 },
    );

    const max = 2n ** 64n - 1n - supply();
    const outcome = await ledger.read(
      ledger.send([minter], token.mintTo(vault, max)),
      watched,
      mint.toBase58(),
    );
    expect(outcome.movement).toMatchObject({ kind: 'deposit', delta: max });
    expect(supply()).toBe(2n ** 64n - 1n);
  });
});

const PROGRAM = new PublicKey(TOKEN_2022_PROGRAM);
const FEE_BASIS_POINTS = 500;

let token: TestToken;
beforeAll(() => {
  token = createTestToken(ledger, PROGRAM, FEE_BASIS_POINTS);
});

async function read(signer: TestToken['alice'], ...instructions: TransactionInstruction[]) {
  const transaction = ledger.send([signer], ...instructions);
  expect(transaction.err).toBeNull();
  return ledger.read(transaction, token.watched, token.mint.toBase58());
}

describe('a real transfer of a mint with a transfer fee, read through JSON-RPC', () => {
  it('into the vault is a deposit of the amount after the fee, by the sender', async () => {
    const { alice, vault } = token;
    const from = token.account(alice.publicKey);
    const { movement, deltas } = await read(alice, token.transferChecked(alice.publicKey, 1_000n));
    const wallet = alice.publicKey.toBase58();
    expect(movement).toEqual({ kind: 'deposit', wallet, delta: 950n, stakeEntry: null });
    expect(deltas).toEqual({ [from.toBase58()]: -1_000n, [vault.toBase58()]: 950n });
  });

  it('with transferCheckedWithFee is a deposit of the amount after the fee', async () => {
    const { alice } = token;
    const withFee = token.transferWithFee(alice.publicKey, 200n, 10n);
    const wallet = alice.publicKey.toBase58();
    expect((await read(alice, withFee)).movement).toMatchObject({ kind: 'deposit', wallet, delta: 190n });
  });

  it('out of the vault is a withdrawal of the amount before the fee, to the recipient', async () => {
    const { owner, bob } = token;
    const to = token.account(bob.publicKey);
    const { movement, deltas } = await read(owner, token.transferChecked(owner.publicKey, 400n, to));
    const wallet = bob.publicKey.toBase58();
    expect(movement).toEqual({ kind: 'withdraw', wallet, delta: -400n, stakeEntry: null });
    expect(deltas[to.toBase58()]).toBe(380n);
  });

  it('that moves withheld fees from the vault to the mint yields no event, because the balance does not contain them', async () => {
    const { alice, vault, mint } = token;
    const harvest = createHarvestWithheldTokensToMintInstruction(mint, [vault], PROGRAM);
    expect(await read(alice, harvest)).toMatchObject({
      movement: null,
      alarms: [],
      deltas: { [vault.toBase58()]: 0n },
    });
  });

  it('that withdraws withheld fees to the vault is a deposit by nobody', async () => {
    const { alice, bob, minter, vault, mint } = token;
    const to = token.account(bob.publicKey);
    await read(alice, token.transferChecked(alice.publicKey, 100n, to));
    const withdrawal = createWithdrawal(mint, vault, minter.publicKey, [], [to], PROGRAM);
    // An earlier test's transfer out of the vault left a fee of 20 base units in this account, and the transfer above left 5.
    expect((await read(minter, withdrawal)).movement).toEqual({
      kind: 'deposit',
      wallet: null,
      delta: 25n,
      stakeEntry: null,
    });
  });
});
