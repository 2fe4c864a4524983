import '../../data/runtime/node-version.ts';
import { join, resolve } from 'node:path';
import { readConfig } from '../../data/config/read-config.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { runMain } from '../../data/runtime/shutdown.ts';
import { checkAuditTrail } from '../../data/store/open-stores.ts';
import { storeOrExit } from '../store-or-exit.ts';
import { trailReport } from './trail-report.ts';

/** `npm run audit:trail`: reports whether the audit trail is intact. Exits with 0 if so, 1 if not, 75 if it cannot be read. */
await runMain('audit:trail', async () => {
  const [expectedHead, ...more] = process.argv.slice(2);
  if (more.length > 0 || (expectedHead !== undefined && !/^[0-9a-f]{64}$/.test(expectedHead))) {
    throw new StartError(
      'Pass no argument, or the head that an earlier check printed (64 hex digits).',
      EXIT.usage,
    );
  }
  const { database, dataDir } = readConfig();
  const storeLocation = database?.main ?? join(resolve(dataDir), 'app.db');
  const check = await storeOrExit(() => checkAuditTrail(storeLocation, expectedHead));
  const { text, isIntact } = trailReport(check, expectedHead);
  process.stdout.write(`${text}\n`);
  process.exitCode = isIntact ? EXIT.ok : EXIT.failure;
});
