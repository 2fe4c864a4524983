import { createBurnInstruction, createMintToInstruction, createTransferInstruction } from '@solana/spl-token';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './addresses.ts';
import { type LedgerToRead, startLedgerToRead } from './testing/read-back.ts';
import { makeTokenWorld } from './testing/token-world.ts';
import { decodeMint, decodeTokenAccount } from './token-layout.ts';

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
  it('has deltas that sum to what was minted less what was burnt, and moves the vault by what is told', async () => {
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
      { numRuns: 60 },
    );

    const most = 2n ** 64n - 1n - supply();
    const minted = createMintToInstruction(mint, vault, minter.publicKey, most, [], program);
    const all = await ledger.read(ledger.send([minter], minted), watched, mint.toBase58());
    expect(all.movement).toMatchObject({ kind: 'deposit', delta: most });
    expect(supply()).toBe(2n ** 64n - 1n);
  });
});
