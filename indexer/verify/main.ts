import '../../data/runtime/node-version.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../data/config/read-config.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { runMain } from '../../data/runtime/shutdown.ts';
import { ACCOUNT_CHECKS, HOLDER_CHECKS } from './account-checks.ts';
import { UnreadableError } from './chain-accounts.ts';
import { openChainReader } from './chain-reading.ts';
import { CHART_CHECKS } from './chart-checks.ts';
import type { Check } from './checks.ts';
import { exitCodeForResults, formatVerifyReport, readVerifyOptions } from './command-line.ts';
import { HISTORY_CHECKS } from './history-checks.ts';
import { PROGRAM_CHECKS } from './program-checks.ts';
import { openPortal } from './read-api.ts';
import { compareInRounds } from './rounds.ts';
import { STAKE_CHECKS } from './stake-checks.ts';
import { WALLET_CHECKS } from './wallet-checks.ts';

const CHECKS: readonly Check[] = [
  ...ACCOUNT_CHECKS,
  ...HOLDER_CHECKS,
  ...HISTORY_CHECKS,
  ...CHART_CHECKS,
  ...STAKE_CHECKS,
  ...PROGRAM_CHECKS,
  ...WALLET_CHECKS,
];

const PAUSE_MS = 1_000;

await runMain('verify', async () => {
  const config = readConfig();
  const { api, rpc } = readVerifyOptions(process.argv.slice(2), config);
  process.stdout.write(
    `Comparing the figures of ${new URL(api).host} with the chain at ${new URL(rpc).host}\n\n`,
  );
  try {
    const results = await compareInRounds({
      checks: CHECKS,
      portal: openPortal(api, sleep),
      chain: openChainReader(rpc, config.addresses),
      pause: () => sleep(PAUSE_MS),
    });
    process.stdout.write(`${formatVerifyReport(results)}\n`);
    process.exitCode = exitCodeForResults(results);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    throw new StartError(error.message, EXIT.tryAgain, { cause: error });
  }
});
