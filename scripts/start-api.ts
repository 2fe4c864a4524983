import '../data/runtime/node-version.ts';
import { pathToFileURL } from 'node:url';
import { builtPrograms } from './bundles.ts';

// Runs only the API, from its bundle if there is one. Without the bundle, a production installation lacks the package `ox`,
// and the API cannot detect top-ups (eth-endpoint.ts).
const { api } = await builtPrograms();
await import(pathToFileURL(api).href);
