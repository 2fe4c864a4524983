// @module-tag slow
import { createHash } from 'node:crypto';
import * as web3 from '@solana/web3.js';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { walletProof } from '../../data/contract/wallet-session.ts';
import { signInMessage } from '../../data/model/sign-in-message.ts';
import {
  COMPUTE_BUDGET_PROGRAM,
  LIGHTHOUSE_PROGRAM,
  MEMO_PROGRAM,
} from '../../data/model/solana-programs.ts';
import { startTestPortal } from '../testing/test-portal.ts';
import { post, requestChallenge, type TestWallet, testWallet } from '../testing/test-wallet.ts';
import { readProofMemo } from './memo-proof.ts';

const key = (address: string) => new web3.PublicKey(address);
const instructionOf = (programId: string, data: string | Uint8Array, ...signers: readonly string[]) =>
  new web3.TransactionInstruction({
    programId: key(programId),
    data: Buffer.from(data),
    keys: signers.map((one) => ({ pubkey: key(one), isSigner: true, isWritable: true })),
  });
const memoInstruction = (text: string, ...signers: readonly string[]) =>
  instructionOf(MEMO_PROGRAM, text, ...signers);
const unitLimit = web3.ComputeBudgetProgram.setComputeUnitLimit({ units: 20_000 });
const unitPrice = web3.ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000 });
const hashOf = (text: string) => new web3.PublicKey(createHash('sha256').update(text).digest()).toBase58();

interface MessageParts {
  readonly payer: string;
  readonly text: string;
  readonly instructions: readonly web3.TransactionInstruction[];
  readonly blockhash?: string;
  readonly version?: 'legacy' | 0;
  readonly tables?: web3.AddressLookupTableAccount[];
}

function messageOf({
  payer,
  text,
  instructions,
  blockhash,
  version = 'legacy',
  tables = [],
}: MessageParts): Uint8Array {
  const message = new web3.TransactionMessage({
    payerKey: key(payer),
    recentBlockhash: blockhash ?? hashOf(text),
    instructions: [...instructions],
  });
  return (version === 0 ? message.compileToV0Message(tables) : message.compileToLegacyMessage()).serialize();
}

const [wallet, stranger] = [testWallet().address, testWallet().address];
const TEXT = 'portal.example.com wants you to sign in with your Solana account:\n…';
const transfer = web3.SystemProgram.transfer({
  fromPubkey: key(wallet),
  toPubkey: key(stranger),
  lamports: 1,
});
const readProof = (bytes: Uint8Array, address = wallet) =>
  readProofMemo(web3, bytes, address)?.toString() ?? null;
const readParts = (parts: Partial<MessageParts>) =>
  readProof(messageOf({ payer: wallet, text: TEXT, instructions: [memoInstruction(TEXT)], ...parts }));

describe('a transaction that proves a wallet', () => {
  it.each(['legacy', 0] as const)(
    'has one memo, and may set a compute budget before or after it (%s)',
    (version) => {
      for (const instructions of [
        [memoInstruction(TEXT)],
        [memoInstruction(TEXT, wallet)],
        [unitLimit, unitPrice, memoInstruction(TEXT)],
        [unitPrice, memoInstruction(TEXT), unitLimit],
      ]) {
        expect(readParts({ instructions, version })).toBe(TEXT);
      }
    },
  );

  const table = new web3.AddressLookupTableAccount({
    key: key(stranger),
    state: {
      addresses: [key(MEMO_PROGRAM), key(testWallet().address)],
      deactivationSlot: 2n ** 64n - 1n,
      lastExtendedSlot: 0,
      lastExtendedSlotStartIndex: 0,
    },
  });
  const tableInstruction = instructionOf(COMPUTE_BUDGET_PROGRAM, Uint8Array.of(2, 0, 0, 0, 0));
  tableInstruction.keys.push({
    pubkey: key(table.state.addresses[1]?.toBase58() ?? ''),
    isSigner: false,
    isWritable: true,
  });

  it.each<[string, Partial<MessageParts>]>([
    ['a transfer', { instructions: [memoInstruction(TEXT), transfer] }],
    ['a transfer alone', { instructions: [transfer] }],
    [
      'a call to Lighthouse',
      { instructions: [memoInstruction(TEXT), instructionOf(LIGHTHOUSE_PROGRAM, 'assert')] },
    ],
    [
      'a durable nonce',
      {
        instructions: [
          web3.SystemProgram.nonceAdvance({ noncePubkey: key(stranger), authorizedPubkey: key(wallet) }),
          memoInstruction(TEXT),
        ],
      },
    ],
    ['no memo', { instructions: [unitLimit] }],
    ['no instruction', { instructions: [] }],
    ['two memos', { instructions: [memoInstruction(TEXT), memoInstruction(TEXT)] }],
    [
      'a memo for the old memo program',
      {
        instructions: [instructionOf('Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo', TEXT)],
      },
    ],
    ['a second signer', { instructions: [memoInstruction(TEXT, stranger)] }],
    ['another fee payer', { payer: stranger }],
    [
      'another fee payer, and the wallet as a signer',
      { payer: stranger, instructions: [memoInstruction(TEXT, wallet)] },
    ],
    ['a blockhash that may be valid', { blockhash: hashOf('a block') }],
    ['a zero blockhash', { blockhash: '1'.repeat(32) }],
    ['the hash of another text', { instructions: [memoInstruction(`${TEXT} `)] }],
    [
      'a lookup table',
      { version: 0, instructions: [memoInstruction(TEXT), tableInstruction], tables: [table] },
    ],
    [
      'more bytes than a transaction can have',
      { text: 'a'.repeat(1_200), instructions: [memoInstruction('a'.repeat(1_200))] },
    ],
  ])('cannot have %s', (_what, parts) => {
    expect(readParts(parts)).toBeNull();
  });

  it.each<[string, Partial<web3.MessageV0Args>, readonly number[]]>([
    [
      'names an account that no instruction uses',
      { staticAccountKeys: [wallet, MEMO_PROGRAM, stranger].map(key) },
      [],
    ],
    [
      'names a lookup table that no instruction uses',
      { addressTableLookups: [{ accountKey: key(stranger), writableIndexes: [0], readonlyIndexes: [] }] },
      [],
    ],
    ['passes a program as an account', {}, [1]],
  ])('never %s', (_what, changes, accountKeyIndexes) => {
    const staticAccountKeys = changes.staticAccountKeys ?? [wallet, MEMO_PROGRAM].map(key);
    const message = new web3.MessageV0({
      header: {
        numRequiredSignatures: 1,
        numReadonlySignedAccounts: 0,
        numReadonlyUnsignedAccounts: staticAccountKeys.length - 1,
      },
      recentBlockhash: hashOf(TEXT),
      compiledInstructions: [
        { programIdIndex: 1, accountKeyIndexes: [...accountKeyIndexes], data: Buffer.from(TEXT) },
      ],
      addressTableLookups: [],
      ...changes,
      staticAccountKeys,
    });
    expect(readProof(message.serialize())).toBeNull();
  });

  it('is accepted only with one memo, harmless instructions, the wallet as payer and the memo’s hash as blockhash', () => {
    const choices = [
      memoInstruction(TEXT),
      memoInstruction(TEXT, wallet),
      unitLimit,
      unitPrice,
      transfer,
      memoInstruction(TEXT, stranger),
      memoInstruction('x'),
    ];
    fc.assert(
      fc.property(
        fc.array(fc.nat(choices.length - 1), { maxLength: 5 }),
        fc.constantFrom(wallet, stranger),
        fc.constantFrom('legacy' as const, 0 as const),
        fc.constantFrom(hashOf(TEXT), hashOf('x')),
        (pickedIndexes, payer, version, blockhash) => {
          const memos = pickedIndexes.filter((index) => index < 2 || index > 4);
          const isProof =
            payer === wallet &&
            blockhash === hashOf(TEXT) &&
            pickedIndexes.every((index) => index < 4) &&
            memos.length === 1;
          const isOther =
            payer === wallet && blockhash === hashOf('x') && memos.length === 1 && memos[0] === 6;
          const isHarmless = pickedIndexes.every((index) => index < 4 || index === 6);
          const instructions = pickedIndexes.map((index) => choices[index] ?? transfer);
          const expected = isProof ? TEXT : isOther && isHarmless ? 'x' : null;
          expect(readParts({ instructions, payer, version, blockhash })).toBe(expected);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('proves nothing once any byte is changed, added or removed', () => {
    for (const version of ['legacy', 0] as const) {
      const bytes = messageOf({ payer: wallet, text: TEXT, instructions: [memoInstruction(TEXT)], version });
      for (let index = 0; index < bytes.length; index++) {
        for (const bit of [1, 0x80]) {
          const changedBytes = Uint8Array.from(bytes);
          changedBytes[index] = (changedBytes[index] ?? 0) ^ bit;
          expect(readProof(changedBytes)).toBeNull();
        }
        expect(readProof(bytes.subarray(0, index))).toBeNull();
      }
      expect(readProof(Uint8Array.from([...bytes, 0]))).toBeNull();
    }
  });

  it('is not found in random bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 1_300 }), (bytes) => readProof(bytes) === null));
  });
});

describe('a proof by a transaction', () => {
  function proofBy(signer: TestWallet, text: string, parts: Partial<MessageParts> = {}) {
    const bytes = messageOf({
      payer: signer.address,
      text,
      instructions: [unitPrice, memoInstruction(text)],
      ...parts,
    });
    return {
      walletAddress: signer.address,
      signedMessage: Buffer.from(bytes).toString('base64'),
      signature: signer.sign(bytes),
      signedAs: 'transaction',
    };
  }

  async function startWithChallenge() {
    const portal = await startTestPortal();
    onTestFinished(() => portal.close());
    const signer = testWallet();
    const prove = async (body: unknown) => (await post(portal.port, walletProof.path, body)).status;
    return { portal, signer, prove, ...(await requestChallenge(portal.port, signer.address)) };
  }

  it('opens only one session, even if it is sent concurrently', async () => {
    const { prove, signer, message } = await startWithChallenge();
    const proof = proofBy(signer, message, { version: 0 });
    const statuses = await Promise.all([prove(proof), prove(proof), prove(proof)]);
    expect(statuses.toSorted()).toEqual([200, 401, 401]);
  });

  it('is refused with another wallet’s challenge, a challenge that was not issued, or another wallet’s signature', async () => {
    const { prove, portal, signer, message, input } = await startWithChallenge();
    expect(await prove(proofBy(signer, signInMessage({ ...input, nonce: 'f'.repeat(32) })))).toBe(401);
    const other = testWallet();
    expect(await prove(proofBy(other, message))).toBe(401);
    const { message: next } = await requestChallenge(portal.port, signer.address);
    expect(await prove({ ...proofBy(signer, next), signature: proofBy(other, next).signature })).toBe(401);
    // The refused proof consumed the nonce.
    expect(await prove(proofBy(signer, next))).toBe(401);
  });

  it('is refused if it is sent as a message, and a message is refused as a transaction', async () => {
    const { prove, portal, signer, message } = await startWithChallenge();
    expect(await prove({ ...proofBy(signer, message), signedAs: 'message' })).toBe(401);
    const { message: next } = await requestChallenge(portal.port, signer.address);
    const signedMessage = Buffer.from(next).toString('base64');
    const messageProof = { ...proofBy(signer, next), signedMessage, signature: signer.sign(next) };
    expect(await prove(messageProof)).toBe(401);
    expect(await prove({ ...messageProof, signedAs: 'message' })).toBe(200);
  });
});
