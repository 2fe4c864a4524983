import '../../data/runtime/node-version.ts';
import { parseArgs } from 'node:util';
import { Connection } from '@solana/web3.js';
import { loadEnvFile } from '../../data/config/read-config.ts';
import { fromDecimalText } from '../../data/model/amounts.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { runMain } from '../../data/runtime/shutdown.ts';
import { BD_DECIMALS } from './addresses.ts';
import { deposit, stake, transfer, unstake, withdraw } from './command-actions.ts';
import { listWallets, namedWallet } from './command-wallets.ts';

const USAGE = `Usage: npm run ledger -- <command> [options]

  stake     --wallet <name> --amount <BD>             stake for 180 days
  unstake   --wallet <name> [--nonce <number>]        end a stake whose lock is over
  deposit   --wallet <name> --amount <BD>             into the community vault
  withdraw  --wallet <name> --amount <BD>             out of the community vault, to the wallet
  transfer  --wallet <name> --to <name|address> --amount <BD>
  wallets                                             the ledger's own wallets and what they hold

  --wallet  holder-1 to holder-24, the address of one of them, or any new name: that wallet is made and funded
  --amount  digits, with a point before the fraction, such as 1500000 or 12.5
  --url     the ledger's JSON-RPC; unless given, the LEDGER_PORT of .env or the environment (8899) on this machine`;

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
    if (positionals.length > 1) throw usageError(`"${positionals[1]}" is one word too many.`);
    return { command: positionals[0] ?? '', ...values };
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw usageError(error instanceof Error ? error.message : String(error));
  }
}

type Arguments = ReturnType<typeof readArguments>;

function amountOf({ command, amount }: Arguments): bigint {
  if (amount === undefined) throw usageError(`${command} needs --amount, in BD.`);
  if (amount.includes(',')) {
    // Whether 1,500 is a thousand or one and a half depends on who reads it, and money is at stake.
    throw usageError(
      `--amount ${amount} has a comma. Write digits and a point only, such as 1500000 or 12.5.`,
    );
  }
  try {
    const units = fromDecimalText(amount, BD_DECIMALS);
    if (units > 0n) return units;
  } catch {
    // The message below says what an amount is.
  }
  throw usageError(`--amount ${amount} is no amount of BD. Write a number above 0 such as 1500000 or 12.5.`);
}

function walletOf({ command, wallet }: Arguments) {
  if (wallet === undefined) throw usageError(`${command} needs --wallet, such as holder-3.`);
  const named = namedWallet(wallet);
  if (named !== null) return named;
  throw usageError(
    `--wallet ${wallet} is an address whose key the ledger does not have. Use a name instead.`,
  );
}

function nonceOf({ nonce }: Arguments): number | null {
  if (nonce === undefined) return null;
  if (/^\d{1,9}$/.test(nonce)) return Number(nonce);
  throw usageError(`--nonce ${nonce} is no number of a stake.`);
}

async function perform(args: Arguments, connection: Connection): Promise<string> {
  switch (args.command) {
    case 'stake':
      return stake(connection, walletOf(args), amountOf(args));
    case 'unstake':
      return unstake(connection, walletOf(args), nonceOf(args));
    case 'deposit':
      return deposit(connection, walletOf(args), amountOf(args));
    case 'withdraw':
      return withdraw(connection, walletOf(args), amountOf(args));
    case 'transfer':
      if (args.to === undefined) throw usageError('transfer needs --to, a name or an address.');
      return transfer(connection, walletOf(args), args.to, amountOf(args));
    case 'wallets':
      return listWallets(connection);
    default:
      throw usageError(args.command === '' ? 'Which command?' : `There is no command "${args.command}".`);
  }
}

/** Where the portal's own ledger is, from `.env` and the environment. */
function ownLedgerUrl(): string {
  loadEnvFile();
  const port = process.env.LEDGER_PORT?.trim() || DEFAULT_LEDGER_PORT;
  if (/^[1-9]\d{0,4}$/.test(port) && Number(port) < 65_535) return `http://127.0.0.1:${port}`;
  throw usageError(`LEDGER_PORT is ${port}, which does not say where the ledger is. Name it with --url.`);
}

function unreachable(error: unknown): boolean {
  // web3.js wraps what fetch throws, and keeps only its text.
  return error instanceof Error && error.message.includes('fetch failed');
}

await runMain('ledger', async () => {
  const args = readArguments(process.argv.slice(2));
  if (args.help || args.command === 'help') {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const given = args.url ?? ownLedgerUrl();
  const url = URL.parse(given);
  if (url === null || !url.protocol.startsWith('http'))
    throw usageError(`--url ${given} is not an http(s) URL.`);
  try {
    process.stdout.write(`${await perform(args, new Connection(url.href, 'confirmed'))}\n`);
  } catch (error) {
    if (!unreachable(error)) throw error;
    throw new StartError(
      `No ledger answers at ${url.href}. Start the portal with npm start, or name another with --url.`,
      EXIT.tryAgain,
      { cause: error },
    );
  }
});
