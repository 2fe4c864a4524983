import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

/**
 * For tests: run before a program (`node --import`), to keep it from standing back. Where the tests themselves keep the
 * processor busy, a program behind them would get next to none of it, and miss moments that it meets anywhere else.
 */
os.setPriority = () => {};
syncBuiltinESMExports();
