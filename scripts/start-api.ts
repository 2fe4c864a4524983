import '../data/runtime/node-version.ts';
import { pathToFileURL } from 'node:url';
import { builtPrograms } from './bundles.ts';

// Runs the API alone, from its bundle as `npm start` does. Without the bundle it follows no top-ups (eth-endpoint.ts).
const { api } = await builtPrograms();
await import(pathToFileURL(api).href);
