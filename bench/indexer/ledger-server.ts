import { yieldProcessor } from '../../data/runtime/yield-processor.ts';
import { openChain } from '../../indexer/ledger/open-chain.ts';
import { startRpcServer } from '../../indexer/ledger/rpc/server.ts';
import type { BenchMessage } from './bench-process.ts';

// The embedded ledger of a file, served as `npm start` does, in a process of its own until the parent goes.
yieldProcessor();
const [file = ''] = process.argv.slice(2);
const chain = openChain({ file, history: false });
const { url } = await startRpcServer(chain, { port: 0, websocketPort: 0 });
process.once('disconnect', () => process.exit());
process.send?.({ type: 'serving', url } satisfies BenchMessage);
