import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519';
import {
  Keypair,
  type PublicKey,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { DEMO_WALLETS } from '../../../../data/model/demo-wallets.ts';
import { signInMessage } from '../../../../data/model/sign-in-message.ts';
import { deriveDemoKey, signInText, signTransactionBytes } from './demo-signing.ts';
import { createDemoWallet } from './demo-wallet.ts';

const [banker] = DEMO_WALLETS;
const name = banker?.name ?? '';
const keypair = Keypair.fromSeed(createHash('sha256').update(`blackduck-ledger:${name}`).digest());
const blockhash = Keypair.generate().publicKey.toBase58();
const otherKeypair = Keypair.generate();
const payment = (from: PublicKey) =>
  SystemProgram.transfer({ fromPubkey: from, toPubkey: otherKeypair.publicKey, lamports: 1 });
const key = await deriveDemoKey(name);

it('the key of a demo wallet is the one that the embedded ledger derives from its name', () => {
  expect(key.address).toBe(keypair.publicKey.toBase58());
});

describe('a transaction', () => {
  it('gets its signature at the wallet’s position among the signers, whether legacy or versioned', async () => {
    const legacy = new Transaction({ feePayer: otherKeypair.publicKey, recentBlockhash: blockhash }).add(
      payment(keypair.publicKey),
    );
    legacy.partialSign(otherKeypair);
    const signed = await signTransactionBytes(legacy.serialize({ requireAllSignatures: false }), key);
    expect(Transaction.from(signed).verifySignatures()).toBe(true);

    const message = new TransactionMessage({
      payerKey: keypair.publicKey,
      recentBlockhash: blockhash,
      instructions: [payment(keypair.publicKey)],
    }).compileToV0Message();
    const wire = await signTransactionBytes(new VersionedTransaction(message).serialize(), key);
    const [signature = new Uint8Array()] = VersionedTransaction.deserialize(wire).signatures;
    expect(ed25519.verify(signature, message.serialize(), key.publicKey)).toBe(true);
  });

  it('is not signed if it is malformed or does not need the wallet’s signature', async () => {
    const foreign = new Transaction({ feePayer: otherKeypair.publicKey, recentBlockhash: blockhash }).add(
      payment(otherKeypair.publicKey),
    );
    const wire = foreign.serialize({ requireAllSignatures: false });
    for (const bytes of [wire, wire.subarray(0, 40), new Uint8Array(), Uint8Array.of(255, 255, 255, 255)]) {
      await expect(signTransactionBytes(bytes, key)).rejects.toThrow(/transaction/);
    }
  });
});

describe('the text of a sign-in', () => {
  it('is what the server expects', () => {
    const fields = {
      domain: 'localhost:4000',
      address: key.address,
      statement: 'Prove it.',
      uri: 'http://localhost:4000',
      version: '1',
      chainId: 'localnet',
      nonce: 'abcdefgh01234567',
      issuedAt: '2026-01-01T00:00:00.000Z',
      expirationTime: '2026-01-01T00:05:00.000Z',
    } as const;
    expect(signInText(fields, 'elsewhere', key.address)).toBe(signInMessage(fields));
  });

  it('omits absent fields', () => {
    expect(signInText({}, 'a.example', 'A')).toMatch(/^a\.example wants .*account:\nA$/);
  });
});

describe('the demo wallet', () => {
  const createWallet = (approves: boolean, chosen = banker ?? null) =>
    createDemoWallet({ choose: async () => chosen, approve: async () => approves }, 'a.example');

  it('does not connect silently at first, and emits a change event when it connects or disconnects', async () => {
    const { features } = createWallet(true);
    const changes: string[] = [];
    features['standard:events']?.on('change', ({ accounts = [] }) => {
      changes.push(accounts.map(({ address }) => address).join());
    });
    expect((await features['standard:connect'].connect({ silent: true })).accounts).toEqual([]);
    const { accounts } = await features['standard:connect'].connect();
    expect(accounts.map(({ address, chains }) => [address, chains])).toEqual([
      [key.address, ['solana:localnet']],
    ]);
    await features['standard:disconnect']?.disconnect();
    expect(changes).toEqual([key.address, '']);
  });

  it('signs only what its owner approves', async () => {
    const message = new TextEncoder().encode('sign me');
    const approving = createWallet(true).features;
    const [account] = (await approving['standard:connect'].connect()).accounts;
    if (!account) throw new Error('no account');
    const [signed] = (await approving['solana:signMessage']?.signMessage({ account, message })) ?? [];
    expect(ed25519.verify(signed?.signature ?? message, message, key.publicKey)).toBe(true);

    const refusing = createWallet(false).features;
    await refusing['standard:connect'].connect();
    await expect(refusing['solana:signMessage']?.signMessage({ account, message })).rejects.toThrow(
      'declined',
    );
    await expect(refusing['solana:signIn']?.signIn({})).rejects.toThrow('declined');
    const transaction = new Uint8Array(10);
    await expect(
      refusing['solana:signTransaction']?.signTransaction({ account, transaction }),
    ).rejects.toThrow('declined');
  });
});
