import '../../data/runtime/node-version.ts';
import { join, resolve } from 'node:path';
import { readConfig } from '../../data/config/read-config.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { runMain } from '../../data/runtime/shutdown.ts';
import { checkAuditTrail } from '../../data/store/sqlite/audit-reader.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { trailReport } from './trail-report.ts';

/** Checks that nobody changed the audit trail: 0 where it holds, 1 where it does not, 75 where it cannot be read. */
await runMain('audit:trail', async () => {
  const [expectedHead, ...more] = process.argv.slice(2);
  if (more.length > 0 || (expectedHead !== undefined && !/^[0-9a-f]{64}$/.test(expectedHead))) {
    throw new StartError('Give nothing, or the head that an earlier check told (64 digits).', EXIT.usage);
  }
  const file = join(resolve(readConfig().dataDir), 'app.db');
  try {
    const { text, holds } = trailReport(checkAuditTrail(file, expectedHead), expectedHead);
    process.stdout.write(`${text}\n`);
    process.exitCode = holds ? EXIT.ok : EXIT.failure;
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    throw new StartError(error.message, EXIT.tryAgain, { cause: error });
  }
});
