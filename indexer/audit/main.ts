import '../../data/runtime/node-version.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../data/config/read-config.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { runMain } from '../../data/runtime/shutdown.ts';
import { CHECKS } from './all-checks.ts';
import { AuditUnreachableError } from './audit-error.ts';
import { openAuditedChain } from './chain-reading.ts';
import { readAuditOptions } from './options.ts';
import { openPortal } from './read-api.ts';
import { auditExitCode, auditReport } from './report.ts';
import { compareInRounds } from './rounds.ts';

const PAUSE_MS = 1_000;

/** Recomputes every public figure straight from the chain, as an outsider would, and compares it with the portal's. */
await runMain('audit', async () => {
  const config = readConfig();
  const { api, rpc } = readAuditOptions(process.argv.slice(2), config);
  process.stdout.write(`Figures of ${new URL(api).host} against the chain at ${new URL(rpc).host}\n\n`);
  try {
    const findings = await compareInRounds({
      checks: CHECKS,
      portal: openPortal(api, sleep),
      chain: openAuditedChain(rpc, config.addresses),
      pause: () => sleep(PAUSE_MS),
    });
    process.stdout.write(`${auditReport(findings)}\n`);
    process.exitCode = auditExitCode(findings);
  } catch (error) {
    if (!(error instanceof AuditUnreachableError)) throw error;
    throw new StartError(error.message, EXIT.tryAgain, { cause: error });
  }
});
