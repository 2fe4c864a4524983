import {
  AuthorityType,
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createAssociatedTokenAccountInstruction,
  createBurnInstruction,
  createCloseAccountInstruction,
  createInitializeAccount3Instruction,
  createInitializeMint2Instruction,
  createMintToInstruction,
  createRevokeInstruction,
  createSetAuthorityInstruction,
  createTransferCheckedInstruction,
  createTransferInstruction,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAMS, SYSTEM_PROGRAM } from '../../programs.ts';
import { parseInstruction } from './parsed-instruction.ts';

const key = (fill: number): PublicKey => new PublicKey(new Uint8Array(32).fill(fill));
const [a, b, c, d] = [key(1), key(2), key(3), key(4)];
const [A, B, C, D] = [a, b, c, d].map((each) => each.toBase58());

function parse({ programId, keys, data }: TransactionInstruction): object {
  return parseInstruction(
    { programId: programId.toBase58(), accounts: keys.map(({ pubkey }) => pubkey.toBase58()), data },
    1,
  );
}

const SYSTEM = { program: 'system', programId: SystemProgram.programId.toBase58(), stackHeight: 1 };
const TOKEN = { program: 'spl-token', programId: TOKEN_PROGRAM_ID.toBase58(), stackHeight: 1 };

describe('system instructions', () => {
  it('transfer', () => {
    const instruction = SystemProgram.transfer({ fromPubkey: a, toPubkey: b, lamports: 2n ** 60n });
    expect(parse(instruction)).toEqual({
      ...SYSTEM,
      parsed: { type: 'transfer', info: { source: A, destination: B, lamports: 2n ** 60n } },
    });
  });

  it('create account, plain and with a seed', () => {
    const plain = SystemProgram.createAccount({
      fromPubkey: a,
      newAccountPubkey: b,
      lamports: 5,
      space: 165,
      programId: c,
    });
    expect(parse(plain)).toEqual({
      ...SYSTEM,
      parsed: {
        type: 'createAccount',
        info: { source: A, newAccount: B, lamports: 5n, space: 165n, owner: C },
      },
    });
    const seeded = SystemProgram.createAccountWithSeed({
      fromPubkey: a,
      newAccountPubkey: b,
      basePubkey: d,
      seed: 'Ente',
      lamports: 5,
      space: 1,
      programId: c,
    });
    expect(parse(seeded)).toMatchObject({
      parsed: { type: 'createAccountWithSeed', info: { base: D, seed: 'Ente', lamports: 5n, owner: C } },
    });
  });

  it('assign and allocate', () => {
    expect(parse(SystemProgram.assign({ accountPubkey: a, programId: b }))).toMatchObject({
      parsed: { type: 'assign', info: { account: A, owner: B } },
    });
    expect(parse(SystemProgram.allocate({ accountPubkey: a, space: 9 }))).toMatchObject({
      parsed: { type: 'allocate', info: { account: A, space: 9n } },
    });
  });
});

describe('token instructions', () => {
  const amounts = { amount: '1500000', decimals: 6, uiAmount: 1.5, uiAmountString: '1.5' };
  it.each([
    [
      'transfer',
      createTransferInstruction(a, b, c, 7n),
      { source: A, destination: B, authority: C, amount: '7' },
    ],
    [
      'transferChecked',
      createTransferCheckedInstruction(a, b, c, d, 1_500_000n, 6),
      { source: A, mint: B, destination: C, authority: D, tokenAmount: amounts },
    ],
    ['mintTo', createMintToInstruction(a, b, c, 7n), { mint: A, account: B, mintAuthority: C, amount: '7' }],
    ['burn', createBurnInstruction(a, b, c, 7n), { account: A, mint: B, authority: C, amount: '7' }],
    ['approve', createApproveInstruction(a, b, c, 7n), { source: A, delegate: B, owner: C, amount: '7' }],
    ['revoke', createRevokeInstruction(a, b), { source: A, owner: B }],
    ['closeAccount', createCloseAccountInstruction(a, b, c), { account: A, destination: B, owner: C }],
    ['initializeAccount3', createInitializeAccount3Instruction(a, b, c), { account: A, mint: B, owner: C }],
    [
      'initializeMint2',
      createInitializeMint2Instruction(a, 6, b, c),
      { mint: A, decimals: 6, mintAuthority: B, freezeAuthority: C },
    ],
    [
      'initializeMint2',
      createInitializeMint2Instruction(a, 6, b, null),
      { mint: A, decimals: 6, mintAuthority: B },
    ],
    [
      'setAuthority',
      createSetAuthorityInstruction(a, b, AuthorityType.MintTokens, null),
      { mint: A, authority: B, authorityType: 'mintTokens', newAuthority: null },
    ],
    [
      'setAuthority',
      createSetAuthorityInstruction(a, b, AuthorityType.AccountOwner, c),
      { account: A, authority: B, authorityType: 'accountOwner', newAuthority: C },
    ],
  ])('%s', (type, instruction, info) => {
    expect(parse(instruction)).toEqual({ ...TOKEN, parsed: { type, info } });
  });

  it('of a multisig authority list its signers', () => {
    const instruction = createTransferInstruction(a, b, c, 7n, [d, a]);
    expect(parse(instruction)).toMatchObject({
      parsed: { info: { source: A, multisigAuthority: C, signers: [D, A] } },
    });
  });

  it('of Token-2022 are named spl-token too, as on a real node', () => {
    const instruction = createTransferInstruction(a, b, c, 7n, [], TOKEN_2022_PROGRAM_ID);
    expect(parse(instruction)).toMatchObject({
      program: 'spl-token',
      programId: TOKEN_2022_PROGRAM_ID.toBase58(),
      parsed: { type: 'transfer' },
    });
  });
});

describe('associated token account instructions', () => {
  it.each([
    ['create', createAssociatedTokenAccountInstruction(a, b, c, d)],
    ['createIdempotent', createAssociatedTokenAccountIdempotentInstruction(a, b, c, d)],
  ])('%s', (type, instruction) => {
    expect(parse(instruction)).toEqual({
      program: 'spl-associated-token-account',
      programId: ASSOCIATED_TOKEN_PROGRAM,
      stackHeight: 1,
      parsed: {
        type,
        info: {
          source: A,
          account: B,
          wallet: C,
          mint: D,
          systemProgram: SYSTEM_PROGRAM,
          tokenProgram: TOKEN_PROGRAM_ID.toBase58(),
        },
      },
    });
  });
});

describe('other instructions', () => {
  it('a memo is its text', () => {
    for (const programId of MEMO_PROGRAMS) {
      const data = Buffer.from('Danke 🦆', 'utf8');
      expect(parseInstruction({ programId, accounts: [], data }, 2)).toEqual({
        program: 'spl-memo',
        programId,
        parsed: 'Danke 🦆',
        stackHeight: 2,
      });
    }
  });

  it('of a program without a parser keep their data in base58', () => {
    const data = Uint8Array.from([1, 2, 3]);
    expect(parseInstruction({ programId: A ?? '', accounts: [B ?? ''], data }, 1)).toEqual({
      programId: A,
      accounts: [B],
      data: bs58.encode(data),
      stackHeight: 1,
    });
  });

  it('never fail to be shown, whatever their data and accounts', () => {
    const programs = [
      SYSTEM_PROGRAM,
      TOKEN_PROGRAM_ID.toBase58(),
      ASSOCIATED_TOKEN_PROGRAM,
      ...MEMO_PROGRAMS,
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...programs),
        fc.uint8Array({ maxLength: 80 }),
        fc.array(fc.constantFrom(A ?? '', B ?? '', C ?? ''), { maxLength: 7 }),
        (programId, data, accounts) => {
          const shown = parseInstruction({ programId, accounts, data }, 1);
          expect('parsed' in shown || ('data' in shown && shown.data === bs58.encode(data))).toBe(true);
        },
      ),
    );
  });
});
