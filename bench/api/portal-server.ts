import { repeat } from '../../api/metrics/refresh.ts';
import { NO_SITE } from '../../api/pages/site-files.ts';
import { createPortal } from '../../api/server.ts';
import { FakeIndex } from '../../api/testing/fake-index.ts';
import { createHeldTokensReader } from '../../api/verification/held-tokens.ts';
import { createLogger } from '../../data/runtime/log.ts';
import { serveMeasured } from './measured-server.ts';

// The portal as it runs, on an index that moves as often as the indexer commits.
const COMMIT_EVERY = 400;
const LOOK_EVERY = 100;

const index = new FakeIndex();
const portal = createPortal({
  reader: index,
  site: NO_SITE,
  log: createLogger('bench', 'warn'),
  clock: Date.now,
  chain: 'solana',
  publicOrigin: null,
  version: 'bench',
  heldTokens: createHeldTokensReader([]),
});
const commit = () => index.commitChain({ readAt: Date.now(), slot: Math.floor(Date.now() / COMMIT_EVERY) });
commit();
await portal.refresh();
repeat(portal.refresh, LOOK_EVERY);
setInterval(commit, COMMIT_EVERY);
await serveMeasured(portal.server);
