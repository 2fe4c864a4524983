import { pino } from 'pino';
import { Registry } from 'prom-client';
import { startDelivery } from '../../api/delivery/start-delivery.ts';
import { FakeIndex } from '../../api/testing/fake-index.ts';
import { manyStakes } from '../../api/testing/sample-stakes.ts';
import { startTestPortal } from '../../api/testing/test-portal.ts';
import { parseEnvironment } from '../../data/config/environment.ts';
import type { ServerMessage } from '../api/measured-server.ts';

/** The portal in a process of its own, which takes any number of forms and delivers them to its outbox. */

const UNLIMITED = 1_000_000_000;

// The wallet that is applied with has a stake, as most have.
const index = new FakeIndex();
index.held = manyStakes(2);
const portal = await startTestPortal({
  index,
  submissionsPerMinute: UNLIMITED,
  callsPerMinute: UNLIMITED,
  clock: Date.now,
  steadyClock: () => performance.now(),
});
const outcome = parseEnvironment({});
if (!outcome.ok) throw new Error('the environment without settings must be right');
const delivery = await startDelivery({
  config: outcome.config.delivery,
  store: portal.store,
  folder: portal.folder,
  origin: 'https://portal.example.com',
  decimals: async () => 6,
  log: pino({ level: 'silent' }),
  registry: new Registry(),
});

const send = (message: ServerMessage) => process.send?.(message);
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  send({ type: 'cpu', microseconds: user + system });
});
process.once('disconnect', async () => {
  await delivery.stop();
  await portal.close();
});
send({ type: 'listening', port: portal.port });
