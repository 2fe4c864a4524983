import { openAppStore } from '../../data/store/open-stores.ts';
import { measureSubmissions } from './three-stores.ts';

// Opens a store in a separate process. On each message from the parent it stores submissions, and reports how many per
// second.

const store = await openAppStore(JSON.parse(process.argv[2] ?? ''));
process.on('message', async () => process.send?.(await measureSubmissions(store)));
process.once('disconnect', () => void store.close());
process.send?.('ready');
