import { setTimeout as pause } from 'node:timers/promises';
import { openAppStore } from '../../../../data/store/open-stores.ts';
import { openFollower } from './open-follower.ts';

/**
 * Follows a chain until it is killed, for tests. Reports each finished round to its parent.
 * Usage: node follow-program.ts <app.db> <endpoint>…
 */
const [file = '', ...urls] = process.argv.slice(2);
const store = await openAppStore(file);
const follower = await openFollower(store, urls);
process.on('disconnect', () => process.exit());
for (;;) {
  await follower.follow(AbortSignal.timeout(10_000)).catch(() => {});
  process.send?.('round');
  await pause(1);
}
