import { generateKeyPairSync, hash, sign, verify } from 'node:crypto';
import * as web3 from '@solana/web3.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MEMO_PROGRAM } from '../../../data/model/solana-programs.ts';
import { ProofError, readSession } from './proof-session.ts';
import { proveOwnership } from './sign-proof.ts';
import type { SolanaWallet } from './solana-wallets.ts';
import { fakeAccount, fakeWallet } from './testing/fake-wallet.ts';
import { isSessionUsable } from './wallet-actions.ts';

beforeEach(() => void vi.stubGlobal('document', { visibilityState: 'visible' }));
afterEach(() => void vi.unstubAllGlobals());

const input = {
  domain: 'bd.example',
  address: 'A',
  chainId: 'mainnet',
  nonce: 'n',
  issuedAt: '2026-01-01T00:00:01.000Z',
};
const provenSession = {
  walletAddress: 'A',
  provedAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-01T01:00:00.000Z',
};
const bytes = new Uint8Array([255, 0, 62]);
const account = fakeAccount('A');

const signInFeature = (address = 'A'): Partial<SolanaWallet['features']> => ({
  'solana:signIn': {
    version: '1.0.0',
    signIn: async () => [{ account: fakeAccount(address), signedMessage: bytes, signature: bytes }],
  },
});
const signMessageFeature = (signed: string[]): Partial<SolanaWallet['features']> => ({
  'solana:signMessage': {
    version: '1.0.0',
    signMessage: async ({ message } = { account, message: bytes }) => {
      signed.push(new TextDecoder().decode(message));
      return [{ signedMessage: message, signature: bytes }];
    },
  },
});

function serve(
  responses: Readonly<Record<string, () => Response | Promise<never>>> = {},
): Record<string, unknown> {
  const sentBodies: Record<string, unknown> = {};
  const all = {
    '/api/wallet/challenge': () => Response.json({ input, message: 'sign me' }),
    '/api/wallet/proof': () => Response.json(provenSession),
    ...responses,
  };
  vi.stubGlobal('fetch', async (path: keyof typeof all, { body }: RequestInit) => {
    sentBodies[path] = JSON.parse(String(body ?? null));
    return all[path]();
  });
  return sentBodies;
}

const prove = (features: Partial<SolanaWallet['features']>) =>
  proveOwnership({ wallet: fakeWallet({ features }).wallet, account });

async function reasonOf(features: Partial<SolanaWallet['features']>): Promise<string> {
  const error = await prove(features).catch((thrown) => thrown);
  return error instanceof ProofError ? error.reason : String(error);
}

describe('an ownership proof', () => {
  it('is a sign-in if the wallet supports it, sent as base64', async () => {
    const sent = serve();
    expect(await prove(signInFeature())).toEqual(provenSession);
    expect(sent['/api/wallet/challenge']).toEqual({ walletAddress: 'A' });
    expect(sent['/api/wallet/proof']).toEqual({
      walletAddress: 'A',
      signedMessage: '/wA+',
      signature: '/wA+',
    });
  });

  it('is a signed message with the same text if the wallet has no sign-in', async () => {
    serve();
    const signed: string[] = [];
    expect(await prove(signMessageFeature(signed))).toEqual(provenSession);
    expect(signed).toEqual(['sign me']);
  });

  it('is a transaction that contains only the same text, if the wallet or the caller requires one', async () => {
    const sent = serve();
    const key = generateKeyPairSync('ed25519');
    const publicKey = key.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    const address = new web3.PublicKey(publicKey);
    const owner = { ...fakeAccount('A'), publicKey };
    const signedChains: unknown[] = [];
    const features: Partial<SolanaWallet['features']> = {
      'solana:signTransaction': {
        version: '1.0.0',
        supportedTransactionVersions: ['legacy', 0],
        signTransaction: async (...inputs) =>
          inputs.map(({ transaction, chain }) => {
            signedChains.push(chain);
            const parsed = web3.VersionedTransaction.deserialize(transaction);
            parsed.signatures = [sign(null, parsed.message.serialize(), key.privateKey)];
            return { signedTransaction: parsed.serialize() };
          }),
      },
    };
    const both = fakeWallet({ features: { ...signInFeature(), ...features } }).wallet;
    await proveOwnership({ wallet: fakeWallet({ features }).wallet, account: owner });
    const first = sent['/api/wallet/proof'];
    await proveOwnership({ wallet: both, account: owner }, 'transaction');
    expect(sent['/api/wallet/proof']).toEqual(first);
    expect(signedChains).toEqual(['solana:mainnet', 'solana:mainnet']);
    const { signedMessage, signature, signedAs } = first as Record<string, string>;
    expect(signedAs).toBe('transaction');
    const signedBytes = Buffer.from(signedMessage ?? '', 'base64');
    const expected = new web3.TransactionMessage({
      payerKey: address,
      recentBlockhash: new web3.PublicKey(hash('sha256', 'sign me', 'buffer')).toBase58(),
      instructions: [
        new web3.TransactionInstruction({
          programId: new web3.PublicKey(MEMO_PROGRAM),
          keys: [],
          data: Buffer.from('sign me'),
        }),
      ],
    });
    expect(Uint8Array.from(signedBytes)).toEqual(
      Uint8Array.from(expected.compileToLegacyMessage().serialize()),
    );
    expect(verify(null, signedBytes, key.publicKey, Buffer.from(signature ?? '', 'base64'))).toBe(true);
  });

  it('survives a lost request or response, as when a phone switches back from the wallet’s app', async () => {
    let submissions = 0;
    const failFirstSubmission = () => {
      submissions += 1;
      return submissions === 1 ? Promise.reject(new TypeError('Load failed')) : Response.json(provenSession);
    };
    serve({
      '/api/wallet/proof': failFirstSubmission,
      '/api/wallet/session': () => new Response('', { status: 503 }),
    });
    expect(await prove(signInFeature())).toEqual(provenSession);
    expect(submissions).toBe(2);
    const later = { ...provenSession, provedAt: input.issuedAt };
    submissions = 0;
    serve({ '/api/wallet/proof': failFirstSubmission, '/api/wallet/session': () => Response.json(later) });
    expect(await prove(signInFeature())).toEqual(later);
    expect(submissions).toBe(1);
  });

  it('fails with the reason if the wallet does not sign', async () => {
    const sent = serve();
    expect(await reasonOf({})).toBe('cannot-sign');
    expect(await reasonOf(signInFeature('B'))).toBe('other-account');
    const refusing = {
      'solana:signIn': { version: '1.0.0' as const, signIn: () => Promise.reject(new Error('no')) },
    };
    expect(await reasonOf(refusing)).toBe('not-signed');
    expect(sent).not.toHaveProperty('/api/wallet/proof');
  });

  it.each([
    [401, 'refused'],
    [400, 'refused'],
    [429, 'too-many'],
    [503, 'server-error'],
  ])('fails with a reason on server status %i', async (status, reason) => {
    serve({ '/api/wallet/proof': () => new Response('', { status }) });
    expect(await reasonOf(signInFeature())).toBe(reason);
  });

  it('fails without a connection', async () => {
    serve({ '/api/wallet/proof': () => Promise.reject(new TypeError('Failed to fetch')) });
    expect(await reasonOf(signInFeature())).toBe('no-connection');
  });

  it('fails if the session is for a different wallet', async () => {
    serve({ '/api/wallet/proof': () => Response.json({ ...provenSession, walletAddress: 'B' }) });
    expect(await reasonOf(signInFeature())).toBe('refused');
  });
});

describe('a session', () => {
  const now = Date.parse(provenSession.provedAt) + 60_000;
  const requirement = { walletAddress: 'A', now };

  it('is valid for its own wallet until it expires', () => {
    expect(isSessionUsable(provenSession, requirement)).toBe(true);
    expect(isSessionUsable(provenSession, { ...requirement, walletAddress: 'B' })).toBe(false);
    expect(isSessionUsable(provenSession, { ...requirement, now: Date.parse(provenSession.expiresAt) })).toBe(
      false,
    );
    expect(isSessionUsable(null, requirement)).toBe(false);
  });

  it('is not valid if a newer proof is required', () => {
    expect(isSessionUsable(provenSession, { ...requirement, withinSeconds: 61 })).toBe(true);
    expect(isSessionUsable(provenSession, { ...requirement, withinSeconds: 60 })).toBe(false);
  });

  it('is null if there is none or it cannot be read', async () => {
    serve({
      '/api/wallet/session': () => Response.json({ walletAddress: null, provedAt: null, expiresAt: null }),
    });
    expect(await readSession()).toBeNull();
    serve({ '/api/wallet/session': () => new Response('', { status: 503 }) });
    expect(await readSession()).toBeNull();
  });
});
