import { join } from 'node:path';
import * as web3 from '@solana/web3.js';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { walletName } from '../../data/contract/wallet-name.ts';
import { ChainReads } from '../chain/chain-reads.ts';
import { type LedgerProcess, startLedger } from '../testing/ledger-process.ts';
import { ask } from '../testing/portal-client.ts';
import { walletOf } from '../testing/sample-stakes.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { plainName, primaryNameAccount, reverseAccount, solNameAccount } from './sol-names.ts';

const { PublicKey } = web3;
const NAME_PROGRAM = 'namesLPneVptA9Z5rqUDD9tMTWEJwofgaYwp8cawRkX';
const OFFERS_PROGRAM = '85iDfUvr3HJyLM2zcq5BXSiDvUWfw6cSE1FfNBo8Ap29';
const SOL_DOMAIN = '58PwtjSDuFHuUkYjH9BYnnQKHfwo9reZhC2zMJv9JPkx';
const REVERSE_CLASS = '33m47vH6Eav6jr5Ry86XjhRft2jRBLDnDgPSHoquXi2Z';
const NO_KEY = PublicKey.default.toBase58();

interface AccountRow {
  readonly address: web3.PublicKey;
  readonly owner: string;
  readonly data: Buffer;
}

const keyBytes = (...list: string[]) => Buffer.concat(list.map((key) => new PublicKey(key).toBuffer()));

function primaryNameAccounts(
  wallet: string,
  name: string,
  { owner = wallet, text = name, offers = OFFERS_PROGRAM, parent = SOL_DOMAIN } = {},
) {
  const account = solNameAccount(web3, name);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(Buffer.byteLength(text));
  return [
    {
      address: primaryNameAccount(web3, wallet),
      owner: offers,
      data: Buffer.concat([Buffer.of(0), account.toBuffer()]),
    },
    { address: account, owner: NAME_PROGRAM, data: keyBytes(parent, owner, NO_KEY) },
    {
      address: reverseAccount(web3, account),
      owner: NAME_PROGRAM,
      data: Buffer.concat([keyBytes(NO_KEY, NO_KEY, REVERSE_CLASS), length, Buffer.from(text)]),
    },
  ] satisfies AccountRow[];
}

const CASES = [
  { outcome: 'is shown', name: 'ada', shown: 'ada.sol' },
  { outcome: 'is escaped where a character could look like another', name: 'аda', shown: '\\u{430}da.sol' },
  { outcome: 'is not shown once another wallet owns it', name: 'moved', changes: { owner: walletOf(99) } },
  { outcome: 'is not shown if its text is that of another name', name: 'other', changes: { text: 'ada' } },
  {
    outcome: 'is not shown if it is not in the domain sol',
    name: 'foreign',
    changes: { parent: walletOf(98) },
  },
  {
    outcome: 'is not shown if another program made it primary',
    name: 'made',
    changes: { offers: NAME_PROGRAM },
  },
].map((one, index) => ({ shown: null, changes: {}, ...one, wallet: walletOf(index + 1) }));

let ledger: LedgerProcess;
let portal: TestPortal;

beforeAll(async () => {
  ledger = await startLedger((folder) => {
    const db = new Database(join(folder, 'ledger.db'));
    const insertAccount = db.prepare(
      'insert into accounts (address, lamports, owner, executable, data) values (?, 5000000, ?, 0, ?)',
    );
    for (const { wallet, name, changes } of CASES) {
      for (const { address, owner, data } of primaryNameAccounts(wallet, name, changes))
        insertAccount.run(address.toBase58(), owner, data);
    }
    db.close();
  });
  portal = await startTestPortal({ stakeReads: new ChainReads([ledger.url], { readTimeoutMs: 20_000 }) });
});
afterAll(async () => {
  await portal.close();
  await ledger.stop();
});

async function nameOf(walletAddress: string) {
  const { status, body } = await ask(portal.port, `${walletName.path}?walletAddress=${walletAddress}`);
  return status === 200 ? walletName.response.parse(JSON.parse(body)).name : JSON.parse(body).code;
}

describe('the primary .sol name of a wallet', () => {
  it.each(CASES)('$outcome', async ({ wallet, shown }) => {
    expect(await nameOf(wallet)).toBe(shown);
  });

  it('is null for a wallet without one', async () => {
    expect(await nameOf(walletOf(50))).toBeNull();
  });

  it('has the account address that the name service publishes, as for bonfida.sol', () => {
    expect(solNameAccount(web3, 'bonfida').toBase58()).toBe('Crf8hzfthWGbGbLTVCiqRqV5MVnbpHB1L9KQMd6gsinb');
  });

  it('is shown with lookalike and markup characters escaped', () => {
    expect(plainName('a-1_z')).toBe('a-1_z');
    expect(plainName('I.<b>\u202e🦆')).toBe('\\u{49}\\u{2e}\\u{3c}b\\u{3e}\\u{202e}\\u{1f986}');
  });

  it('is cached, but a failed read is not', async () => {
    await ledger.stop();
    expect(await nameOf(walletOf(1))).toBe('ada.sol');
    expect(await nameOf(walletOf(60))).toBe('chain-unreadable');
    expect(await nameOf(walletOf(60))).toBe('chain-unreadable');
  });
});
