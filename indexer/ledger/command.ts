import '../../data/runtime/node-version.ts';
import { runMain } from '../../data/runtime/shutdown.ts';
import { runCommand } from './command-line.ts';

await runMain('ledger', async () => {
  process.stdout.write(`${await runCommand(process.argv.slice(2))}\n`);
});
