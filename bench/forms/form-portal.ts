import { Registry } from '@prometheus-io/client';
import { pino } from 'pino';
import { startDelivery } from '../../api/delivery/start-delivery.ts';
import { FakeIndex } from '../../api/testing/fake-index.ts';
import { manyStakes } from '../../api/testing/sample-stakes.ts';
import { startTestPortal, TEST_MASTER_KEY } from '../../api/testing/test-portal.ts';
import { parseEnvironment } from '../../data/config/environment.ts';
import { rateLimits } from '../../data/config/rate-limits.ts';
import { reportToParent } from '../api/report-to-parent.ts';

// Runs the portal in a separate process. It accepts any number of forms and delivers them to its outbox.

// The applicants' wallet has a stake, as in most applications.
const index = new FakeIndex();
index.storedStakes = manyStakes(2);
const portal = await startTestPortal({
  index,
  now: Date.now,
  monotonicNow: () => performance.now(),
});
const outcome = parseEnvironment({});
if (!outcome.ok) throw new Error('The defaults must be valid.');
const delivery = await startDelivery({
  config: outcome.config.delivery,
  store: portal.store,
  folder: portal.folder,
  origin: 'https://portal.example.com',
  teamOrigin: 'https://portal.example.com',
  masterKey: TEST_MASTER_KEY,
  decimals: async () => 6,
  confirmationToken: () => '',
  adminLinkToken: () => '',
  statusProofOf: () => '',
  organization: null,
  rateLimits: rateLimits({ confirmations: 1_000_000, 'confirmations-of-domain': 1_000_000 }),
  log: pino({ level: 'silent' }),
  registry: new Registry(),
  webhookOptions: null,
});

reportToParent(portal.port, async () => {
  await delivery.stop();
  await portal.close();
});
