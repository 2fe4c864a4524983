import { lowerPriority } from '../../data/runtime/lower-priority.ts';
import { openChain } from '../../indexer/ledger/open-chain.ts';
import { startRpcServer } from '../../indexer/ledger/rpc/server.ts';
import type { BenchMessage } from './bench-process.ts';

// Serves the embedded ledger from a file as `npm start` does, until the parent disconnects.
lowerPriority();
const [file = ''] = process.argv.slice(2);
const chain = openChain({ file, withHistory: false });
const { url } = await startRpcServer(chain, 0);
process.once('disconnect', () => process.exit());
process.send?.({ type: 'serving', url } satisfies BenchMessage);
