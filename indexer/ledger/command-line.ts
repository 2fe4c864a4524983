import { parseArgs } from 'node:util';
import { Connection } from '@solana/web3.js';
import { loadEnvFile } from '../../data/config/read-config.ts';
import { fromDecimalText } from '../../data/model/amounts.ts';
import { LOCK_DAYS } from '../../data/model/staking-terms.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { BD_DECIMALS } from './addresses.ts';
import {
  advance,
  deposit,
  listWallets,
  stake,
  transfer,
  unstake,
  walletByNameOrAddress,
  withdraw,
} from './command-actions.ts';

const USAGE = `Usage: npm run ledger -- <command> [options]

  stake     --wallet <name> --amount <BD>             stake for ${LOCK_DAYS} days
  unstake   --wallet <name> [--nonce <number>]        end a stake after its lock
  deposit   --wallet <name> --amount <BD>             into the community vault
  withdraw  --wallet <name> --amount <BD>             out of the community vault, to the wallet
  transfer  --wallet <name> --to <name|address> --amount <BD>
  advance   <time>                                    move the ledger's clock forward by a time such as 181d, 12h or 30m
  wallets                                             list the ledger's own wallets and their balances

  --wallet  holder-1 to holder-24, the address of one of them, or a new name, which creates and funds a wallet
  --amount  in digits, with a decimal point if needed, such as 1500000 or 12.5
  --url     the ledger's JSON-RPC URL; by default on this machine, at LEDGER_PORT from .env or the environment (8899)`;

const DEFAULT_LEDGER_PORT = '8899';

function usageError(message: string): StartError {
  return new StartError(`${message}\n\n${USAGE}`, EXIT.usage);
}

function readArguments(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        wallet: { type: 'string' },
        amount: { type: 'string' },
        to: { type: 'string' },
        nonce: { type: 'string' },
        url: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    const [command = '', ...more] = positionals;
    const time = command === 'advance' ? more.shift() : undefined;
    const [unexpected] = more;
    if (unexpected !== undefined) throw usageError(`Unexpected argument "${unexpected}".`);
    return { command, time, ...values };
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw usageError(error instanceof Error ? error.message : String(error));
  }
}

type Arguments = ReturnType<typeof readArguments>;

function readAmount({ command, amount }: Arguments): bigint {
  if (amount === undefined) throw usageError(`${command} needs --amount, in BD.`);
  if (amount.includes(',')) {
    // Depending on the locale, 1,500 means 1500 or 1.5.
    throw usageError(
      `--amount ${amount} has a comma. Use only digits and a decimal point, such as 1500000 or 12.5.`,
    );
  }
  try {
    const units = fromDecimalText(amount, BD_DECIMALS);
    if (units > 0n) return units;
  } catch {
    // The text is not a number. The error below also covers this case.
  }
  throw usageError(
    `--amount ${amount} is not a valid amount of BD. Enter a number above 0, such as 1500000 or 12.5.`,
  );
}

function readWallet({ command, wallet }: Arguments) {
  if (wallet === undefined) throw usageError(`${command} needs --wallet, such as holder-3.`);
  const keypair = walletByNameOrAddress(wallet);
  if (keypair !== null) return keypair;
  throw usageError(
    `The ledger does not have the key for --wallet ${wallet}. Use a wallet name, such as holder-3.`,
  );
}

function readNonce({ nonce }: Arguments): number | null {
  if (nonce === undefined) return null;
  if (/^\d{1,9}$/.test(nonce)) return Number(nonce);
  throw usageError(`--nonce ${nonce} is not a valid nonce. Enter a whole number, such as 0.`);
}

const SECONDS_PER_UNIT = { d: 86_400, h: 3_600, m: 60 } as const;

function readSeconds({ time = '' }: Arguments): number {
  const [, count, unit] = /^([1-9]\d{0,3})([dhm])$/.exec(time) ?? [];
  if (count === undefined) throw usageError('advance needs a time, such as 181d, 12h or 30m.');
  return Number(count) * SECONDS_PER_UNIT[unit as keyof typeof SECONDS_PER_UNIT];
}

async function perform(args: Arguments, connection: Connection): Promise<string> {
  switch (args.command) {
    case 'stake':
      return stake(connection, readWallet(args), readAmount(args));
    case 'unstake':
      return unstake(connection, readWallet(args), readNonce(args));
    case 'deposit':
      return deposit(connection, readWallet(args), readAmount(args));
    case 'withdraw':
      return withdraw(connection, readWallet(args), readAmount(args));
    case 'transfer':
      if (args.to === undefined) throw usageError('transfer needs --to, a name or an address.');
      return transfer(connection, readWallet(args), args.to, readAmount(args));
    case 'advance':
      return advance(connection, readSeconds(args));
    case 'wallets':
      return listWallets(connection);
    case '':
      throw usageError('No command given.');
    default:
      throw usageError(`There is no command "${args.command}".`);
  }
}

function ownLedgerUrl(): string {
  loadEnvFile();
  const port = process.env.LEDGER_PORT?.trim() || DEFAULT_LEDGER_PORT;
  if (/^[1-9]\d{0,4}$/.test(port) && Number(port) < 65_535) return `http://127.0.0.1:${port}`;
  throw usageError(`LEDGER_PORT is ${port}, so the ledger's port is unknown. Set --url.`);
}

function isUnreachable(error: unknown): boolean {
  // web3.js wraps the error of `fetch` and keeps only its message.
  return error instanceof Error && error.message.includes('fetch failed');
}

/** Runs a command of `npm run ledger`. @returns the text to print @throws {StartError} with the message to print */
export async function runCommand(args: readonly string[]): Promise<string> {
  const options = readArguments(args);
  if (options.help || options.command === 'help') return USAGE;
  const urlText = options.url ?? ownLedgerUrl();
  const url = URL.parse(urlText);
  if (url === null || !url.protocol.startsWith('http')) {
    throw usageError(`--url ${urlText} is not an http(s) URL.`);
  }
  try {
    return await perform(options, new Connection(url.href, 'confirmed'));
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    throw new StartError(
      `No ledger answers at ${url.href}. Start the portal with npm start, or set --url.`,
      EXIT.tryAgain,
      { cause: error },
    );
  }
}
